import { OutboundFailed, type OutboundReason } from '../../platform/index.ts';
import type { KeyRecord } from '../catalogue/key-record.ts';
import { domainsOf, isUnder, plainHost } from '../catalogue/known-hosts.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import { expandAddress, expandText, ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { KeyProvider } from '../catalogue/provider.ts';
import { readRetryAfter } from '../catalogue/provider-failure.ts';
import type { Account } from '../catalogue/schemas.ts';
import { type AskContext, isOperators } from '../requests/ask-provider.ts';
import { toLabel } from '../requests/fetch-holder.ts';
import { parseResponseBody } from '../requests/token-response.ts';
import { expandKeyCredential } from './key-credential.ts';
import { secretsIn } from './key-fields.ts';

/** The provider's verdict on a key. */
export type KeyVerdict =
  | { outcome: 'accepted'; account: Account }
  /** The provider responded with 401 or 403. */
  | { outcome: 'rejected' }
  /** The provider responded with another status that isn't a success, for example because there is no such account. */
  | { outcome: 'unconfirmed'; status: number }
  | { outcome: 'unavailable'; retryAfterMs: number | null }
  /** No request was made, because the key may not be sent to this URL. */
  | { outcome: 'not_asked' };

/** Short enough that this and the wait for a slot end before the request times out, after fifteen seconds. */
const TIMEOUT_MS = 8_000;
/** Large, because some providers describe the whole account. */
const MOST_BYTES = 256 * 1024;
const NOBODY: Account = { id: null, label: null };
const NEVER_ASKED = new Set<OutboundReason>(['bad_url', 'bad_header', 'refused_host', 'refused_address']);
const REJECTED = new Set([401, 403]);
/** Statuses that say nothing about the key: timeout, too early, too many requests. */
const LATER = new Set([408, 425, 429]);

type Verify = NonNullable<KeyRecord['api']['verify']>;

export const buildVerification = (record: KeyRecord, verify: Verify, values: Values) => {
  const { api } = record;
  const base = (verify.host === undefined ? api.url : (api.hosts?.[verify.host] ?? '')).replace(/\/+$/, '');
  const { headers, query } = expandKeyCredential(record, values);
  const url = expandAddress(`${base}${verify.path === '/' ? '' : verify.path}`, values);
  if (query) url.searchParams.append(query.name, query.value);
  const expandAll = (texts: Values) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expandText(text, values)]));
  const body = verify.body && JSON.stringify(expandAll(verify.body));
  return {
    url,
    method: verify.method,
    headers: {
      accept: 'application/json',
      'user-agent': 'Patchbay',
      ...expandAll({ ...api.headers, ...verify.headers }),
      ...Object.fromEntries(headers),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  };
};

/** Whether a text repeats a secret that was sent. Such a text isn't an account's name, and must not be shown. */
const repeats = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => [secret, encodeURIComponent(secret)].some((sent) => sent !== '' && text.includes(sent)));

const readAccount = (record: KeyRecord, values: Values, body: string, sent: readonly string[]): Account => {
  if (!record.identity) return NOBODY;
  const response = parseResponseBody(body);
  const secrets = [...secretsIn(record, values), ...sent];
  const read = (path: string): string | null => {
    const text = toLabel(pickText(response, [path]));
    return text === null || repeats(text, secrets) ? null : text;
  };
  const id = read(record.identity.id);
  return { id, label: read(record.identity.label) ?? id };
};

const judge = (status: number, retryAfterMs: number | null): KeyVerdict | null => {
  if (REJECTED.has(status)) return { outcome: 'rejected' };
  if (status >= 500 || LATER.has(status)) return { outcome: 'unavailable', retryAfterMs };
  return status < 200 || status >= 300 ? { outcome: 'unconfirmed', status } : null;
};

/**
 * Judges a response with a 2xx status by what the entry asks for, because some providers refuse a key with such a
 * status. Null if the key is accepted. A response that can't be parsed says nothing about what it must have.
 */
const judgeSuccess = (
  { status: wanted, has = [], lacks = [] }: Verify,
  status: number,
  body: string,
): KeyVerdict | null => {
  if (wanted !== undefined && status !== wanted) return { outcome: 'rejected' };
  if (has.length + lacks.length === 0) return null;
  const response = parseResponseBody(body);
  if (response === null) return { outcome: 'unconfirmed', status };
  const isThere = (path: string): boolean => (pick(response, path) ?? null) !== null;
  return has.every(isThere) && !lacks.some(isThere) ? null : { outcome: 'rejected' };
};

/**
 * Asks the provider whether a key works, with the request that the entry names. Without such a request, the key is
 * accepted. A failed request has a verdict, too.
 */
export const verifyKey = async (
  { outbound, clock, log }: AskContext,
  provider: KeyProvider,
  values: Values,
): Promise<KeyVerdict> => {
  const { record } = provider;
  const { verify } = record.api;
  if (!verify) return { outcome: 'accepted', account: NOBODY };
  try {
    const { url, ...request } = buildVerification(record, verify, values);
    const { status, headers, body } = await outbound.request({
      ...request,
      url: url.href,
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
      hosts: (host) => isUnder(domainsOf(record), host),
      trusted: isOperators(provider, plainHost(url)),
    });
    const text = body.toString('utf8');
    const verdict =
      judge(status, readRetryAfter(headers['retry-after'], clock.now())) ?? judgeSuccess(verify, status, text);
    // Only what the credential consists of: a version that we send may well be a part of an account's ID.
    const sent = expandKeyCredential(record, values).headers.flatMap(([, value]) => value.split(' ').slice(-1));
    return verdict ?? { outcome: 'accepted', account: readAccount(record, values, text, sent) };
  } catch (error) {
    // A value is missing if the operator has added a param to the entry after the key was entered.
    if (error instanceof ValueMissing) return { outcome: 'not_asked' };
    if (!(error instanceof OutboundFailed)) throw error;
    log.warn({ err: error, provider: record.id }, 'a key could not be verified');
    return NEVER_ASKED.has(error.reason) ? { outcome: 'not_asked' } : { outcome: 'unavailable', retryAfterMs: null };
  }
};
