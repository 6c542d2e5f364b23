import { type Delivery, jsonOf, OUR_PARAMS, queryOf, stepOf } from '../../contract/delivery.ts';
import { type Fields, textOf as plainTextOf, toInstant } from '../../provider-parts/values.ts';

/** Returns the parameters that Vonage added to the URL of a GET. */
export const vendorQuery = (delivery: Pick<Delivery, 'target'>): [string, string][] =>
  [...queryOf(delivery)].filter(([name]) => !OUR_PARAMS.has(name));

/** Returns the fields: from the query of a GET, or else from the JSON body. */
export const fieldsOf = (delivery: Delivery): Fields =>
  delivery.method === 'GET' ? Object.fromEntries(vendorQuery(delivery)) : jsonOf(delivery);

/** Returns a text, or a number as text, because Vonage sends some values as either. */
export const textOrNumberOf = (fields: Fields, name: string): string | null =>
  typeof fields[name] === 'number' ? String(fields[name]) : plainTextOf(fields, name);

export const instantOf = (fields: Fields, name: string): number | null => {
  const text = plainTextOf(fields, name);
  return text !== null && /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i.test(text) ? toInstant(text) : null;
};

/**
 * Returns the id of the leg. `machine` and `human` name it differently from all other events (docs: "Webhook
 * reference"; seen November 2026).
 */
export const legOf = (fields: Fields): string | null =>
  textOrNumberOf(fields, 'uuid') ?? textOrNumberOf(fields, 'call_uuid');

/** Returns the conversation, which holds all legs of a call. For a moved leg: the conversation it was moved to. */
export const callKeyOf = (fields: Fields): string | null =>
  textOrNumberOf(fields, 'conversation_uuid') ??
  textOrNumberOf(fields, 'conversation_uuid_to') ??
  textOrNumberOf(fields, 'conversation_uuid_from') ??
  legOf(fields);

/** Whether a delivery names a call, or returns the payload that we gave to a `notify`. */
export const isAboutCall = (fields: Fields): boolean => callKeyOf(fields) !== null || 'payload' in fields;

const TOLD = ['status', 'type', 'recording_url', 'recording_uuid', 'transcription_url', 'dtmf', 'speech', 'payload'];

/** Whether a delivery only asks what to do: the answer webhook, or `onAnswer` of a dialed leg. */
export const asksForReply = (fields: Fields): boolean =>
  textOrNumberOf(fields, 'to') !== null && legOf(fields) !== null && !TOLD.some((name) => name in fields);

/** Returns the key that was pressed. In an older format, `dtmf` itself is the text. */
export const digitsOf = (fields: Fields): string => {
  const dtmf = fields['dtmf'];
  if (typeof dtmf === 'string') return dtmf;
  return typeof dtmf === 'object' && dtmf !== null ? (textOrNumberOf(dtmf as Fields, 'digits') ?? '') : '';
};

const LEG_STEPS = new Set<string | null>(['dialed', 'screen', 'screened']);

/**
 * Whether a delivery is about a leg that we dialed, as the URL says. The URL isn't signed, but `direction` is, so
 * `inbound` wins: then it's the caller's own leg.
 */
export const isDialedLeg = (delivery: Delivery, fields: Fields): boolean =>
  LEG_STEPS.has(stepOf(delivery)) && fields['direction'] !== 'inbound';
