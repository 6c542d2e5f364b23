import type { IncomingHttpHeaders } from 'node:http';
import { oncePer } from '../../platform/index.ts';

/** One webhook request exactly as received: the signature covers these bytes. */
export type Delivery = {
  route: 'voice' | 'recording';
  method: 'GET' | 'POST';
  /** Path and query, unparsed. */
  target: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

/**
 * Where a delivery was kept. `repeated`: it was stored before. `journaled`: the database is unavailable. `lost`:
 * neither database nor journal could be written.
 */
export type Kept = 'stored' | 'repeated' | 'journaled' | 'lost';

/** The parameters in our own URLs: our account, our number, and the step of the call. */
export const OUR_PARAMS: ReadonlySet<string> = new Set(['account', 'number', 'step']);

export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

const OUR_ID = /^[a-z0-9-]{1,64}$/;
const OUR_STEPS = new Set(['status', 'dialed', 'voicemail', 'screen', 'screened']);

export const isEachOnce = (names: readonly string[]): boolean => new Set(names).size === names.length;

const isAsWeWrite = (query: URLSearchParams): boolean => {
  for (const name of OUR_PARAMS) {
    const [value, ...more] = query.getAll(name);
    if (more.length > 0) return false;
    if (value !== undefined && !(name === 'step' ? OUR_STEPS.has(value) : OUR_ID.test(value))) return false;
  }
  return isEachOnce([...query.keys()]);
};

type Query = { params: URLSearchParams; asWeWrite: boolean };

const parseQuery = oncePer(({ target }: Pick<Delivery, 'target'>): Query => {
  const params = new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');
  return { params, asWeWrite: isAsWeWrite(params) };
});

const MOST_QUERIES = 1_000;
/** Limit for remembered URLs. Our own are shorter. */
const MOST_CHARACTERS = 300;
/** Parsed queries of our own URLs, kept because parsing takes 20 of the 250 µs that a signed delivery takes. */
const queries = new Map<string, Query>();

const isOurs = ({ params, asWeWrite }: Query): boolean =>
  asWeWrite && [...params.keys()].every((name) => OUR_PARAMS.has(name));

const readQuery = (delivery: Pick<Delivery, 'target'>): Query => {
  const { target } = delivery;
  const known = queries.get(target);
  if (known) return known;
  const query = parseQuery(delivery);
  // Queries that aren't ours are not remembered, because anyone can send any number of them.
  if (target.length > MOST_CHARACTERS || !isOurs(query)) return query;
  if (queries.size >= MOST_QUERIES) queries.clear();
  queries.set(target, query);
  return query;
};

/** Returns the parsed query, which callers must not modify. */
export const queryOf = (delivery: Pick<Delivery, 'target'>): URLSearchParams => readQuery(delivery).params;

/**
 * Whether our own parameters appear once each, and in our format. Some signatures cover the URL and then the parameters
 * of the body, without a separator. Such a signature stays valid if someone moves the start of the body to the end of
 * the URL, for example into our parameter `step`. This check notices that.
 */
export const hasOurQuery = (delivery: Pick<Delivery, 'target'>): boolean => readQuery(delivery).asWeWrite;

/**
 * Whether the query has only our own parameters, once each. Used where the query isn't signed, or not by every version
 * of the signature.
 */
export const hasOnlyOurParams = (delivery: Pick<Delivery, 'target'>): boolean => {
  const names = [...queryOf(delivery).keys()];
  return isEachOnce(names) && names.every((name) => OUR_PARAMS.has(name));
};

/** Returns the step of the call that the URL is for. */
export const stepOf = (delivery: Pick<Delivery, 'target'>): string | null => queryOf(delivery).get('step');

export const contentTypeOf = ({ headers }: Pick<Delivery, 'headers'>): string =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

export const headerOf = ({ headers }: Pick<Delivery, 'headers'>, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

const readJson = ({ body }: Pick<Delivery, 'body'>): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
};

/** Parses the body as a JSON object, or returns an empty one. Parsed once, although several providers check it. */
export const jsonOf = oncePer(readJson);
