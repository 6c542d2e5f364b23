import { type Delivery, isEachOnce, OUR_PARAMS, queryOf } from '../../contract/delivery.ts';
import { couldBeAnother, rulesOf } from '../../markup/grammar.ts';
import type { MarkupParams } from '../../markup/params.ts';
import { UUID } from '../../provider-parts/values.ts';

export const AUTH_ID = /^(?:MA|SA)[A-Z0-9]{18}$/;

const WORD = /^[a-z-]{1,20}$/;
const DECIMAL = /^-?\d{1,15}(?:\.\d{1,9})?$/;
const CAUSE = /^[A-Z][A-Z0-9_]{0,59}$/;
const TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?$/;
const ADDRESS = /^https?:\/\/(?!\S*(?::\/\/|Recording[A-Z]))\S{1,500}$/;

const RULES = rulesOf([
  [UUID, 'CallUUID RequestUUID ALegUUID ALegRequestUUID DialALegUUID DialBLegUUID RecordingID call_uuid recording_id'],
  [WORD, 'CallStatus Direction DialStatus DialAction DialRingStatus'],
  [CAUSE, 'HangupCause DialHangupCause DialBLegHangupCause'],
  [DECIMAL, 'Duration BillDuration BillRate TotalCost HangupCauseCode'],
  [DECIMAL, 'DialBLegDuration DialBLegBillDuration DialBLegBillRate DialBLegTotalCost DialBLegHangupCauseCode'],
  [DECIMAL, 'RecordingDuration RecordingDurationMs RecordingStartMs RecordingEndMs'],
  [TIME, 'SessionStart StartTime AnswerTime EndTime'],
  [ADDRESS, 'RecordUrl RecordFile'],
  [AUTH_ID, 'ParentAuthID AuthID'],
  [/^[A-Za-z]{1,40}$/, 'Event'],
  [/^[\d*#]{1,32}$/, 'Digits DialDigitsMatch'],
]);

/** What somebody said, so it can be any text. */
const SAID = 'transcription';
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/;
const PARTIES = ['From', 'To', 'DialBLegTo'];
const PARTY = /^(?:\+?\d{3,15}|sips?:.+)$/;

/** Whether a name and its value, joined, could also be split into another name that is used here and its value. */
const isSplitElsewhere = couldBeAnother([
  ...[...RULES].filter(([name]) => name !== 'Event'),
  ['Event', /^(?:StartApp|Ring|Hangup|MachineDetection)$/],
  ...PARTIES.map((name) => [name, PARTY] as const),
  [SAID, /^(?!_)/],
]);
/**
 * Parameter names with a capital letter in the middle, which no real caller's name contains. If the value of
 * `CallerName` contains one, it has swallowed another parameter. `SWALLOWED` also finds simpler parameter names, but only
 * before a typical value.
 */
const COMPOUND = [...RULES.keys(), 'DialBLegTo'].filter((name) => /.[A-Z]/.test(name));
const SWALLOWED = new RegExp(
  `${COMPOUND.join('|')}|call_uuid|recording_id|transcription_(?:charge|rate)|Direction(?:in|out)bound|Event(?:StartApp|Ring|Hangup|Machine)|(?:From|To)\\+?\\d{3}|D(?:uration|igits)\\d`,
);

/** Whether a name and its value may have been another pair, split differently. */
const isCut = (name: string, value: string): boolean =>
  /^CallerName./.test(name) ||
  (PARTIES.includes(name) && /^\+?\d{3,}[A-Za-z]/.test(value)) ||
  isSplitElsewhere(name, value);

const isPlain = (name: string, value: string): boolean => {
  const rule = RULES.get(name);
  if (rule) return value === '' || rule.test(value);
  if (name === SAID) return !SWALLOWED.test(value);
  return NAME.test(name) && !SWALLOWED.test(value) && !isCut(name, value);
};

/**
 * Returns false for parameters that could have been split differently into names and values. In a POST, they are signed
 * without separators, so a captured signature would also be valid for another split.
 */
export const fitsGrammar = (params: MarkupParams): boolean =>
  ['CallUUID', 'RecordingID', 'recording_id'].some((name) => UUID.test(params.get(name) ?? '')) &&
  [...params].every(([name, value]) => isPlain(name, value));

const OURS = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Whether a query can be read in only one way. Repeated names are signed in no fixed order. In a GET, an `&` in a value
 * is signed like one between parameters.
 */
export const isPlainQuery = (delivery: Delivery): boolean => {
  const entries = [...queryOf(delivery)];
  return (
    isEachOnce(entries.map(([name]) => name)) &&
    entries.every(([name, value]) =>
      OUR_PARAMS.has(name) ? OURS.test(value) : delivery.method === 'GET' && !value.includes('&'),
    )
  );
};
