import { contentTypeOf, type Delivery, queryOf } from '../../delivery.ts';

/** Params of ours in the addresses that we hand out: they are signed with the rest, and no others are expected. */
const OURS = new Set(['account', 'step', 'bodySHA256']);

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

export type Params = ReadonlyMap<string, string>;

const fromEntries = (entries: Iterable<[string, string]>): Params => {
  const params = new Map<string, string>();
  for (const [name, value] of entries) if (!params.has(name)) params.set(name, value);
  return params;
};

const fromJson = (body: Buffer): Params => {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
    return fromEntries(
      entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
  } catch {
    return new Map();
  }
};

/** What Twilio says: in the query of a GET, else in the body. Parsed as it was signed: nothing trimmed, nothing nested. */
export const paramsOf = (delivery: Delivery): Params => {
  if (delivery.method === 'GET') return fromEntries([...queryOf(delivery)].filter(([name]) => !OURS.has(name)));
  const type = contentTypeOf(delivery);
  if (type === FORM) return fromEntries(new URLSearchParams(delivery.body.toString('utf8')));
  return type === JSON_TYPE ? fromJson(delivery.body) : new Map();
};

/** A POST's query holds nothing but what we put there. */
export const hasForeignQuery = (delivery: Delivery): boolean =>
  delivery.method === 'POST' && [...queryOf(delivery).keys()].some((name) => !OURS.has(name));

const SIDS: Readonly<Record<string, RegExp>> = {
  CallSid: /^CA[0-9a-f]{32}$/i,
  ParentCallSid: /^CA[0-9a-f]{32}$/i,
  DialCallSid: /^CA[0-9a-f]{32}$/i,
  AccountSid: /^AC[0-9a-f]{32}$/i,
  RecordingSid: /^RE[0-9a-f]{32}$/i,
  ConferenceSid: /^CF[0-9a-f]{32}$/i,
};

const STATUS = /^[a-z-]{1,20}$/;
const GRAMMAR: Readonly<Record<string, RegExp>> = {
  ...SIDS,
  CallStatus: STATUS,
  DialCallStatus: STATUS,
  RecordingStatus: STATUS,
  Direction: /^[a-z-]{1,20}$/,
  CallDuration: /^\d{1,9}$/,
  DialCallDuration: /^\d{1,9}$/,
  RecordingDuration: /^-?\d{1,9}$/,
  SequenceNumber: /^\d{1,9}$/,
  Digits: /^[\d*#]{0,32}$/,
};

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/;

/**
 * The signature covers names and values without anything between them, so that one captured signature also fits params
 * that are cut elsewhere. Ids and enums that look as they must leave no other cut.
 */
export const fitsGrammar = (params: Params): boolean => {
  const identified =
    SIDS['CallSid']?.test(params.get('CallSid') ?? '') || SIDS['RecordingSid']?.test(params.get('RecordingSid') ?? '');
  return (
    Boolean(identified) &&
    [...params].every(([name, value]) => NAME.test(name) && (value === '' || (GRAMMAR[name]?.test(value) ?? true)))
  );
};
