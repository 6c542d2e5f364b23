import { type Html, html } from '../../platform/index.ts';
import { type CallSummary, OUTCOME_NAMES } from '../../telephony/index.ts';
import { state, type Tone } from '../parts.ts';

type Outcome = NonNullable<CallSummary['outcome']>;
type Meaning = readonly [tone: Tone, meaning: string];

const MEANINGS: Readonly<Record<Outcome, Meaning>> = {
  answered: ['good', 'Someone answered the call.'],
  missed: ['bad', 'No one answered the call.'],
  abandoned: ['bad', 'The caller hung up before anyone answered.'],
  voicemail: ['warn', 'No one answered, and the caller left a message.'],
  busy: ['bad', 'The line was busy.'],
  rejected: ['bad', 'The call was declined.'],
  canceled: ['none', 'The call was canceled before anyone answered.'],
  failed: ['bad', "The call couldn't be put through."],
  unknown: ['none', "The provider didn't report how the call ended."],
};

type Told = Pick<CallSummary, 'status' | 'outcome'>;

export const meaningOf = ({ status, outcome }: Told): string => {
  if (outcome !== null) return MEANINGS[outcome][1];
  return `${status === 'ringing' ? 'The phone is ringing.' : 'The call is in progress.'} Reload the page for the latest.`;
};

/** How it ended, or its state now. */
export const outcomeState = ({ status, outcome }: Told): Html =>
  outcome === null
    ? state('good', status === 'ringing' ? 'Ringing' : 'In progress', true)
    : state(MEANINGS[outcome][0], OUTCOME_NAMES[outcome]);

/** `4:05`, `1:00:09`. */
export const lengthOf = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const pad = (number: number): string => String(number).padStart(2, '0');
  const rest = pad(seconds % 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
};

export type Ends = Readonly<Record<'from' | 'to', { number: string | null; label: string | null }>>;

/** Both ends. The team's own has a label, if it was given one. */
export const endsOf = ({ direction, from, to, numberLabel }: CallSummary): Ends => ({
  from: { number: from, label: direction === 'outbound' ? numberLabel : null },
  to: { number: to, label: direction === 'inbound' ? numberLabel : null },
});

export const NO_NUMBER = html`<span class="quiet">No number</span>`;
