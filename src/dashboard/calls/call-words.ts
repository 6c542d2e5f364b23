import { type Html, html } from '../../platform/index.ts';
import { type CallSummary, OUTCOME_NAMES } from '../../telephony/index.ts';

type Outcome = NonNullable<CallSummary['outcome']>;
type Word = { kind: 'good' | 'warn' | 'bad' | ''; name: string; meaning: string };

export const OUTCOME_WORDS: Readonly<Record<Outcome, Word>> = {
  answered: { kind: 'good', name: OUTCOME_NAMES.answered, meaning: 'Someone answered the call.' },
  missed: { kind: 'bad', name: OUTCOME_NAMES.missed, meaning: 'No one answered the call.' },
  abandoned: {
    kind: 'bad',
    name: OUTCOME_NAMES.abandoned,
    meaning: 'The caller hung up before anyone answered.',
  },
  voicemail: {
    kind: 'warn',
    name: OUTCOME_NAMES.voicemail,
    meaning: 'No one answered, and the caller left a message.',
  },
  busy: { kind: 'bad', name: OUTCOME_NAMES.busy, meaning: 'The line was busy.' },
  rejected: { kind: 'bad', name: OUTCOME_NAMES.rejected, meaning: 'The call was declined.' },
  canceled: { kind: '', name: OUTCOME_NAMES.canceled, meaning: 'The call was canceled before anyone answered.' },
  failed: { kind: 'bad', name: OUTCOME_NAMES.failed, meaning: "The call couldn't be put through." },
  unknown: {
    kind: '',
    name: OUTCOME_NAMES.unknown,
    meaning: "The provider didn't report how the call ended.",
  },
};

const UNDER_WAY: Readonly<Record<'ringing' | 'in_progress', Word>> = {
  ringing: { kind: 'good', name: 'Ringing', meaning: 'The phone is ringing.' },
  in_progress: { kind: 'good', name: 'In progress', meaning: 'The call is in progress.' },
};

type Told = Pick<CallSummary, 'status' | 'outcome'>;

export const wordOf = ({ status, outcome }: Told): Word =>
  outcome === null ? UNDER_WAY[status === 'ringing' ? 'ringing' : 'in_progress'] : OUTCOME_WORDS[outcome];

/** How it ended, or its state now, in color and in words. */
export const outcomeState = (call: Told): Html => {
  const { kind, name } = wordOf(call);
  return html`<span class="${['state', kind, call.outcome === null && 'now'].filter(Boolean).join(' ')}">${name}</span>`;
};

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
