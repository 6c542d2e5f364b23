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

/** `repeated`: already there. `journaled`: the database is unavailable. `lost`: neither could be written. */
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
/** Ours are shorter. */
const MOST_CHARACTERS = 300;
/** Our own URLs come again and again, so they are parsed once: 20 of the 250 µs that a signed call takes. */
const queries = new Map<string, Query>();

const isOurs = ({ params, asWeWrite }: Query): boolean =>
  asWeWrite && [...params.keys()].every((name) => OUR_PARAMS.has(name));

const readQuery = (delivery: Pick<Delivery, 'target'>): Query => {
  const { target } = delivery;
  const known = queries.get(target);
  if (known) return known;
  const query = parseQuery(delivery);
  // Anyone can send others, of any length and without end.
  if (target.length > MOST_CHARACTERS || !isOurs(query)) return query;
  if (queries.size >= MOST_QUERIES) queries.clear();
  queries.set(target, query);
  return query;
};

/** Callers must not modify it. */
export const queryOf = (delivery: Pick<Delivery, 'target'>): URLSearchParams => readQuery(delivery).params;

/**
 * Our own parameters appear once, and in our format. Where a signature covers the URL and what follows it without a
 * separator, it would also fit a step that runs into the next name.
 */
export const hasOurQuery = (delivery: Pick<Delivery, 'target'>): boolean => readQuery(delivery).asWeWrite;

/** For a query that isn't signed, or not by every version: nothing but our own parameters, once each. */
export const hasOnlyOurParams = (delivery: Pick<Delivery, 'target'>): boolean => {
  const names = [...queryOf(delivery).keys()];
  return isEachOnce(names) && names.every((name) => OUR_PARAMS.has(name));
};

/** The step of the call that the URL is for. */
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

/** The body as a JSON object, or an empty one. Several providers need it, but it is parsed once. */
export const jsonOf = oncePer(readJson);
