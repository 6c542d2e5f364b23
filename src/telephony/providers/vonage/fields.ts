import { type Delivery, jsonOf, OUR_PARAMS, queryOf, stepOf } from '../../contract/delivery.ts';
import { type Fields, textOf as plainTextOf, toInstant } from '../../provider-parts/values.ts';

/** The params that the vendor put into the URL of a GET. */
export const vendorQuery = (delivery: Pick<Delivery, 'target'>): [string, string][] =>
  [...queryOf(delivery)].filter(([name]) => !OUR_PARAMS.has(name));

/** The fields: from the query of a GET, else from the JSON body. */
export const fieldsOf = (delivery: Delivery): Fields =>
  delivery.method === 'GET' ? Object.fromEntries(vendorQuery(delivery)) : jsonOf(delivery);

/** Some values come as numbers, too. */
export const textOrNumberOf = (fields: Fields, name: string): string | null =>
  typeof fields[name] === 'number' ? String(fields[name]) : plainTextOf(fields, name);

export const instantOf = (fields: Fields, name: string): number | null => {
  const text = plainTextOf(fields, name);
  return text !== null && /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i.test(text) ? toInstant(text) : null;
};

/** `machine` and `human` name the leg differently from all others (docs: "Webhook reference"; seen November 2026). */
export const legOf = (fields: Fields): string | null =>
  textOrNumberOf(fields, 'uuid') ?? textOrNumberOf(fields, 'call_uuid');

/** One conversation holds all legs of a call. A moved leg belongs to where it is now. */
export const callKeyOf = (fields: Fields): string | null =>
  textOrNumberOf(fields, 'conversation_uuid') ??
  textOrNumberOf(fields, 'conversation_uuid_to') ??
  textOrNumberOf(fields, 'conversation_uuid_from') ??
  legOf(fields);

/** Names a call, or carries back what we gave to a `notify`. */
export const isAboutCall = (fields: Fields): boolean => callKeyOf(fields) !== null || 'payload' in fields;

const TOLD = ['status', 'type', 'recording_url', 'recording_uuid', 'dtmf', 'speech', 'payload'];

/** Only asks what to do: the answer webhook, and `onAnswer` of a dialed leg. */
export const asksForReply = (fields: Fields): boolean =>
  textOrNumberOf(fields, 'to') !== null && legOf(fields) !== null && !TOLD.some((name) => name in fields);

/** The key that was pressed. An older format has only the digits. */
export const digitsOf = (fields: Fields): string => {
  const dtmf = fields['dtmf'];
  if (typeof dtmf === 'string') return dtmf;
  return typeof dtmf === 'object' && dtmf !== null ? (textOrNumberOf(dtmf as Fields, 'digits') ?? '') : '';
};

const LEG_STEPS = new Set<string | null>(['dialed', 'screen', 'screened']);

/** About a leg we dialed, as the URL says. That the caller's own leg is inbound is signed, and wins. */
export const isDialedLeg = (delivery: Delivery, fields: Fields): boolean =>
  LEG_STEPS.has(stepOf(delivery)) && fields['direction'] !== 'inbound';
