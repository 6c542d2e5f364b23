import type { EventView } from '../../events/index.ts';
import type { Html } from '../../platform/index.ts';
import { OUTCOME_NAMES } from '../../telephony/index.ts';
import { lengthText } from '../calls/call-words.ts';
import { moment } from '../display/moment.ts';
import { phone } from '../display/phone.ts';
import type { Region } from '../display/region.ts';

type Data = EventView['data'];
type Show = (value: unknown, region: Region, data: Data) => Html | string | null;

const VERIFIED = {
  signature: 'By its signature',
  token: 'By a secret that was sent with it',
  none: 'No. Anyone who knows the address could have sent it',
};

const text: Show = (value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : null);
const time: Show = (value, region) => (typeof value === 'string' ? moment(Date.parse(value), region) : null);
const length: Show = (value) => (typeof value === 'number' ? lengthText(Math.round(value)) : null);
const number: Show = (value, region) => (typeof value === 'string' ? phone(value, region) : null);
const outcome: Show = (value) => new Map<unknown, string>(Object.entries(OUTCOME_NAMES)).get(value) ?? null;
const account: Show = (value) => (value as { label?: string | null } | null | undefined)?.label ?? null;
/** Says which connection a provider's message is about, or why it's none. Of several that fit, none is picked. */
const connection: Show = (value, _, { account: named }) => {
  if (typeof value === 'string') return value;
  const why = named
    ? "The message names an account that isn't connected, or that several connections fit."
    : 'The message names no account.';
  return `None of your connections. ${why}`;
};
/** The account that a message names. One that isn't connected has no label. */
const namedAccount: Show = (value) => {
  const { label, id } = (value ?? {}) as { label?: string | null; id?: string | null };
  return label ?? id ?? null;
};
const verified: Show = (value) => new Map<unknown, string>(Object.entries(VERIFIED)).get(value) ?? null;
const yes: Show = (value) => (value === true ? 'Yes' : null);

type Field = readonly [label: string, name: string, show?: Show];

/** The fields that people look for, by the kind of event. The JSON below shows all fields. */
const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  call: [
    ['From', 'from', number],
    ['Caller', 'fromName'],
    ['To', 'to', number],
    ['Outcome', 'outcome', outcome],
    ['Started', 'startedAt', time],
    ['Ended', 'endedAt', time],
    ['Talk time', 'talkSeconds', length],
    ['Returned', 'returnedAt', time],
    ['Demo call', 'demo', yes],
  ],
  recording: [
    ['Length', 'durationSeconds', length],
    ['Archived', 'archivedAt', time],
    ['Problem', 'problem'],
  ],
  connection: [
    ['Provider', 'name'],
    ['Account', 'account', account],
    ['Connection', 'connection'],
    ['Problem', 'lastError'],
    ['Since', 'troubleSince', time],
  ],
  provider: [
    ["The provider's type", 'type'],
    ['Connection', 'connection', connection],
    ['Account', 'account', namedAccount],
    ['Received', 'receivedAt', time],
    ['Verified', 'verified', verified],
    ["The provider's ID", 'id'],
  ],
  report: [
    ['Week', 'week'],
    ['Revision', 'revision'],
  ],
};

/** Shows an event's data as labels and values. Unknown values are left out. */
export const eventFacts = ({ type, data }: EventView, providerName: string | null, region: Region) => {
  const group = type.split('.')[0] ?? '';
  const facts = (FIELDS[group] ?? []).map(([label, name, show = text]) => {
    return [label, show(data[name], region, data)] as const;
  });
  return group === 'provider' ? [['Provider', providerName] as const, ...facts] : facts;
};
