import { formatPhoneNumber } from '../../platform/index.ts';
import type { CallSummary } from '../calls/call-summary.ts';
import { OUTCOME_NAMES } from '../calls/outcome-names.ts';

type Described = {
  /** Where the call is shown, with its recordings. */
  url: string;
  /** The calling code of the team. */
  callingCode: string | null;
  /** The ID of the contact at the CRM. */
  personId: string | null;
};

const pad = (number: number): string => String(number).padStart(2, '0');

/** Formats a length for people: `1:05`. */
const lengthOf = (seconds: number): string => `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;

/** Formats a length as hours and minutes, rounded up: `00:02`. */
const minutesOf = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
};

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const toHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? '');

const titleOf = ({ direction, outcome }: CallSummary, who: string): string => {
  if (direction === 'outbound') return `Call to ${who}`;
  if (outcome === 'voicemail') return `Voicemail from ${who}`;
  return outcome === 'missed' || outcome === 'abandoned' ? `Missed call from ${who}` : `Call from ${who}`;
};

/** What a CRM's log says of a call. */
export const describeCallForLog = (call: CallSummary, { url, callingCode, personId }: Described) => {
  const { id, from, to, direction, outcome, startedAt, endedAt, talkSeconds, hasRecording } = call;
  const number = direction === 'inbound' ? from : to;
  const who = number === null ? 'a private number' : formatPhoneNumber(number, callingCode);
  const seconds = talkSeconds ?? 0;
  const lines: [string, string][] = [
    ['Outcome', OUTCOME_NAMES[outcome ?? 'unknown']],
    ...(talkSeconds === null ? [] : [['Talk time', lengthOf(talkSeconds)] satisfies [string, string]]),
    [hasRecording ? 'Recording' : 'Call', hasRecording ? `${url}#recordings` : url],
  ];
  const started = new Date(startedAt).toISOString();
  return {
    call: id,
    person: personId,
    title: titleOf(call, who),
    text: [...lines.map(([name, value]) => `${name}: ${value}`), `Logged by Patchbay as ${id}`].join('\n'),
    html: [
      ...lines.map(([name, value]) =>
        value.startsWith(url)
          ? `<p>${name}: <a href="${toHtml(value)}">${toHtml(value)}</a></p>`
          : `<p>${name}: ${toHtml(value)}</p>`,
      ),
      `<p>Logged by Patchbay as ${toHtml(id)}</p>`,
    ].join(''),
    from,
    to,
    direction,
    outcome,
    started,
    ended: endedAt === null ? null : new Date(endedAt).toISOString(),
    startedMs: String(startedAt),
    date: started.slice(0, 10),
    time: started.slice(11, 16),
    seconds: String(seconds),
    milliseconds: String(seconds * 1_000),
    minutes: minutesOf(seconds),
  };
};
