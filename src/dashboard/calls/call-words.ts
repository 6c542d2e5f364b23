import type { Html } from '../../platform/index.ts';
import { type CallSummary, OUTCOME_NAMES } from '../../telephony/index.ts';
import { phoneWords } from '../display/phone.ts';
import { outcomePill, pill } from '../display/pill.ts';
import type { Region } from '../display/region.ts';

type Outcome = NonNullable<CallSummary['outcome']>;

const MEANINGS: Readonly<Record<Outcome, string>> = {
  answered: 'Someone answered the call.',
  missed: 'No one answered the call.',
  abandoned: 'The caller hung up before anyone answered.',
  voicemail: 'No one answered, and the caller left a message.',
  busy: 'The line was busy.',
  rejected: 'The call was declined.',
  canceled: 'The call was canceled before anyone answered.',
  failed: "The call couldn't be put through.",
  unknown: "The provider didn't report how the call ended.",
};

type CallProgress = Pick<CallSummary, 'status' | 'outcome'>;

export const meaningOf = ({ status, outcome }: CallProgress): string => {
  if (outcome !== null) return MEANINGS[outcome];
  return `${status === 'ringing' ? 'The phone is ringing.' : 'The call is in progress.'} Reload the page for the latest.`;
};

/** How a call ended, or its current state. */
export const outcomeState = ({ status, outcome }: CallProgress): Html =>
  outcome === null
    ? pill('good', status === 'ringing' ? 'Ringing' : 'In progress', true)
    : outcomePill(outcome, OUTCOME_NAMES[outcome]);

/** Formats a length: `4:05`, `1:00:09`. */
export const lengthText = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const pad = (number: number): string => String(number).padStart(2, '0');
  const rest = pad(seconds % 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
};

type Ends = Pick<CallSummary, 'direction' | 'from' | 'fromName' | 'to' | 'numberLabel' | 'person'>;

/** The person that the team spoke with, or tried to. */
export const otherPartyOf = ({
  direction,
  from,
  fromName,
  to,
  person,
}: Ends): { number: string | null; name: string | null } =>
  direction === 'inbound'
    ? { number: from, name: person?.name ?? fromName }
    : { number: to, name: person?.name ?? null };

/** The team's own number in a call, by its label if it has one. */
export const ownLineOf = ({ direction, from, to, numberLabel }: Ends, region: Region): string => {
  const number = direction === 'inbound' ? to : from;
  return numberLabel ?? (number === null ? '–' : phoneWords(number, region));
};

/** The other person in plain text: their name, or else their number. */
export const whoInText = (call: Ends, region: Region): string => {
  const { number, name } = otherPartyOf(call);
  return name ?? (number === null ? 'a private number' : phoneWords(number, region));
};
