import { type HeaderList, OutboundFailed, type OutboundReason } from '../../platform/index.ts';
import { plainHost } from '../catalogue/known-hosts.ts';
import { pick } from '../catalogue/pick.ts';
import { expandAddress, expandText, ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { KeyProvider, ResolvedProvider } from '../catalogue/provider.ts';
import type { ProviderApi } from '../catalogue/provider-api.ts';
import { readRetryAfter } from '../catalogue/provider-failure.ts';
import { type AskContext, isOperators } from './ask-provider.ts';
import { expandFormat } from './expand-format.ts';
import { parseResponseBody } from './token-response.ts';

/** A credential as it's sent: in headers, or in a field of the query. */
export type SentCredential = { headers: HeaderList; query: { name: string; value: string } | null };

export type Verify = NonNullable<ProviderApi['verify']>;
type CalledApi = Pick<ProviderApi, 'url' | 'hosts' | 'headers'>;

/** Why a verification has no verdict on the credential, or what it is. */
export type Unaccepted =
  | { outcome: 'rejected' }
  /** The provider's response neither accepts nor rejects the credential. */
  | { outcome: 'unconfirmed'; status: number }
  | { outcome: 'unavailable'; retryAfterMs: number | null }
  /** No request was made, because the credential may not be sent to this URL. */
  | { outcome: 'not_asked' };

/** Short enough that this and the wait for a slot end before the request times out, after fifteen seconds. */
const TIMEOUT_MS = 8_000;
/** Large, because some providers describe the whole account. */
const MOST_BYTES = 256 * 1024;
const NEVER_ASKED = new Set<OutboundReason>(['bad_url', 'bad_header', 'refused_host', 'refused_address']);
/** Statuses that say nothing about the credential: timeout, too early, too many requests. */
const LATER = new Set([408, 425, 429]);

const BEARER = { header: 'authorization', format: 'Bearer {access_token}' } as const;

/** An access token as the entry's API wants it. */
export const expandTokenCredential = (
  { credential = BEARER }: Pick<ProviderApi, 'credential'>,
  values: Values,
): SentCredential => {
  if ('query' in credential)
    return { headers: [], query: { name: credential.query, value: values['access_token'] ?? '' } };
  return { headers: [[credential.header, expandFormat(credential.format, values)]], query: null };
};

/** Builds the request that shows whether a credential works. Throws `ValueMissing` if it lacks a value. */
export const buildVerification = (
  api: CalledApi,
  verify: Verify,
  { headers, query }: SentCredential,
  values: Values,
) => {
  const base = (verify.host === undefined ? api.url : (api.hosts?.[verify.host] ?? '')).replace(/\/+$/, '');
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

const judge = (status: number, retryAfterMs: number | null, rejecting: ReadonlySet<number>): Unaccepted | null => {
  if (rejecting.has(status)) return { outcome: 'rejected' };
  if (status >= 500 || LATER.has(status)) return { outcome: 'unavailable', retryAfterMs };
  return status < 200 || status >= 300 ? { outcome: 'unconfirmed', status } : null;
};

/**
 * Judges a response with a 2xx status by what the entry asks for, because some providers refuse a credential with such
 * a status. Null if the credential is accepted. A response that can't be parsed says nothing about what it must have.
 */
const judgeSuccess = (
  { status: wanted, has = [], lacks = [] }: Verify,
  status: number,
  response: unknown,
): Unaccepted | null => {
  if (wanted !== undefined && status !== wanted) return { outcome: 'rejected' };
  if (has.length + lacks.length === 0) return null;
  if (response === null) return { outcome: 'unconfirmed', status };
  const isThere = (path: string): boolean => (pick(response, path) ?? null) !== null;
  return has.every(isThere) && !lacks.some(isThere) ? null : { outcome: 'rejected' };
};

type Verification = {
  provider: ResolvedProvider | KeyProvider;
  verify: Verify;
  /** Makes the request. May throw `ValueMissing`. */
  build(): ReturnType<typeof buildVerification>;
  /** Whether the credential may be sent to this URL. */
  mayReceive(url: URL): boolean;
  /** Statuses that reject the credential. */
  rejecting: ReadonlySet<number>;
  timeoutMs?: number;
};

/** A response that the entry accepts. `text` is its body, and `body` the same parsed, or null if it can't be. */
type Answered = { outcome: 'answered'; status: number; text: string; body: unknown };

/** Sends the request that the entry names. A failed request has a verdict, too. Redirects aren't followed. */
export const askVerification = async (
  { outbound, clock, log }: AskContext,
  { provider, verify, build, mayReceive, rejecting, timeoutMs = TIMEOUT_MS }: Verification,
): Promise<Answered | Unaccepted> => {
  try {
    const { url, ...request } = build();
    const { status, headers, body } = await outbound.request({
      ...request,
      url: url.href,
      timeoutMs,
      mostBytes: MOST_BYTES,
      hosts: () => mayReceive(url),
      trusted: isOperators(provider, plainHost(url)),
    });
    const text = body.toString('utf8');
    const response = parseResponseBody(text);
    const retryAfterMs = readRetryAfter(headers['retry-after'], clock.now());
    const verdict = judge(status, retryAfterMs, rejecting) ?? judgeSuccess(verify, status, response);
    return verdict ?? { outcome: 'answered', status, text, body: response };
  } catch (error) {
    // A value is missing if the operator has added a param to the entry after the connect.
    if (error instanceof ValueMissing) return { outcome: 'not_asked' };
    if (!(error instanceof OutboundFailed)) throw error;
    log.warn({ err: error, provider: provider.record.id }, 'a connection could not be verified');
    return NEVER_ASKED.has(error.reason) ? { outcome: 'not_asked' } : { outcome: 'unavailable', retryAfterMs: null };
  }
};
