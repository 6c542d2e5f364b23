import { contentTypeOf, type Delivery, FORM, JSON_TYPE, jsonOf, OUR_PARAMS, queryOf } from '../delivery.ts';
import type { Dialect } from './dialect.ts';

/** The digest of a JSON body, which its sender adds to the address. */
export const BODY_DIGEST = 'bodySHA256';

export type Params = ReadonlyMap<string, string>;

const isOurs = (name: string): boolean => OUR_PARAMS.has(name) || name === BODY_DIGEST;

const fromEntries = (entries: Iterable<[string, string]>): Params => {
  const params = new Map<string, string>();
  for (const [name, value] of entries) if (!params.has(name)) params.set(name, value);
  return params;
};

/** What is said: in the query of a GET, else in the body. Parsed as it was signed: nothing trimmed, nothing nested. */
const readParams = (delivery: Delivery): Params => {
  if (delivery.method === 'GET') return fromEntries([...queryOf(delivery)].filter(([name]) => !isOurs(name)));
  const type = contentTypeOf(delivery);
  if (type === FORM) return fromEntries(new URLSearchParams(delivery.body.toString('utf8')));
  if (type !== JSON_TYPE) return new Map();
  return fromEntries(
    Object.entries(jsonOf(delivery)).flatMap(([name, value]) =>
      typeof value === 'object' ? [] : [[name, String(value)] as [string, string]],
    ),
  );
};

/** A delivery is asked several times what it says, and read once. */
const known = new WeakMap<Delivery, Params>();

export const paramsOf = (delivery: Delivery): Params => {
  const params = known.get(delivery) ?? readParams(delivery);
  known.set(delivery, params);
  return params;
};

const hasRepeated = (params: URLSearchParams): boolean => new Set(params.keys()).size < params.size;

/**
 * A POST's query holds nothing but what we put there, and no name comes twice: the order is not signed, so that of two
 * values the first could be either.
 */
export const isAmbiguous = (delivery: Delivery): boolean => {
  const query = queryOf(delivery);
  if (hasRepeated(query)) return true;
  if (delivery.method === 'GET') return false;
  if ([...query.keys()].some((name) => !isOurs(name))) return true;
  return contentTypeOf(delivery) === FORM && hasRepeated(new URLSearchParams(delivery.body.toString('utf8')));
};

const WORD = /^[a-z-]{1,20}$/;
const WHOLE_NUMBER = /^\d{1,9}$/;
const VALUES: Readonly<Record<string, RegExp>> = {
  CallStatus: WORD,
  DialCallStatus: WORD,
  RecordingStatus: WORD,
  Direction: WORD,
  CallDuration: WHOLE_NUMBER,
  DialCallDuration: WHOLE_NUMBER,
  RecordingDuration: /^-?\d{1,9}$/,
  SequenceNumber: WHOLE_NUMBER,
  Digits: /^[\d*#]{0,32}$/,
};

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/;

/**
 * The signature covers names and values without anything between them, so that one captured signature also fits params
 * that are cut elsewhere. Ids and enums that look as they must leave no other cut.
 */
export const fitsGrammar = (params: Params, { ids }: Dialect): boolean => {
  const grammar: Readonly<Record<string, RegExp>> = ids;
  const identified =
    ids.CallSid.test(params.get('CallSid') ?? '') || ids.RecordingSid.test(params.get('RecordingSid') ?? '');
  if (!identified) return false;
  for (const [name, value] of params) {
    const rule = grammar[name] ?? VALUES[name];
    if (!NAME.test(name) || (value !== '' && rule && !rule.test(value))) return false;
  }
  return true;
};
