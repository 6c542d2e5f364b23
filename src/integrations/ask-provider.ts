import { type Clock, type Outbound, OutboundFailed, type OutboundReason } from '../platform/index.ts';
import type { Provider } from './catalogue.ts';
import { domainsOf, isUnder, namedHostsOf } from './known-hosts.ts';
import { ValueMissing, type Values } from './placeholders.ts';
import type { FullRecord } from './provider.ts';
import { type ProviderFailure, readRetryAfter, toFailure } from './provider-failure.ts';
import { buildProviderRequest, type Client, type RequestPlan } from './provider-request.ts';
import { errorCodeOf, parseAnswerBody } from './token-answer.ts';

export type AskDependencies = { outbound: Outbound; clock: Clock };

/** The entry in full, and whether the operator has written it. */
export type Asked = { record: FullRecord; custom: Provider['custom'] };

export type ProviderAnswer =
  | { status: number; answer: unknown; code: string | null; failure: null }
  | { status: number | null; answer: unknown; failure: ProviderFailure };

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

/** The request itself was not one to be made: asking again does not help. */
const NEVER_ASKED = new Set<OutboundReason>(['bad_url', 'bad_header', 'refused_host', 'refused_address']);

const decodeBasic = (authorization = ''): string =>
  Buffer.from(/^Basic (.+)$/.exec(authorization)?.[1] ?? '', 'base64').toString();

/** A word that stands in our own request is not the provider's own: it may say a secret back. */
const isSaidBack = (
  code: string,
  { url, headers = {}, body = '' }: ReturnType<typeof buildProviderRequest>,
): boolean => {
  const sent = [url, ...Object.values(headers), decodeBasic(headers['authorization']), body].join(' ');
  return sent.includes(code) || sent.includes(encodeURIComponent(code));
};

const withoutAnswer = (kind: ProviderFailure['kind'], code: string, surelyNotDone: boolean): ProviderAnswer => ({
  status: null,
  answer: null,
  failure: { kind, code, surelyNotDone, retryAfterMs: null },
});

/**
 * One request to a provider. Whatever comes back is a value: an answer, or why there is none. The operator's credentials
 * go to the entry's own domains alone; a team's also to the hosts that its params name, if those are public. What an
 * answer names counts for nothing.
 */
export const askProvider = async (
  { outbound, clock }: AskDependencies,
  { record, custom }: Asked,
  plan: RequestPlan,
  client: Client,
  values: Values,
): Promise<ProviderAnswer> => {
  const domains = domainsOf(record);
  try {
    const named = client.of === 'team' ? namedHostsOf(record, values) : [];
    const request = buildProviderRequest(plan, client, values);
    const { status, headers, body } = await outbound.request({
      ...request,
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
      hosts: (host) => isUnder(domains, host) || named.includes(host),
      trusted: custom && isUnder(domains, new URL(request.url).hostname),
    });
    const answer = parseAnswerBody(body.toString('utf8'));
    const told = errorCodeOf(answer, record);
    const code = told !== null && isSaidBack(told, request) ? null : told;
    const said = { status, code, retryAfterMs: readRetryAfter(headers['retry-after'], clock.now()) };
    if (status >= 400) return { status, answer, failure: toFailure(said, record.errors?.invalidGrant) };
    return { status, answer, code, failure: null };
  } catch (error) {
    if (error instanceof ValueMissing) return withoutAnswer('refused', `no_${error.placeholder}`, true);
    if (!(error instanceof OutboundFailed)) throw error;
    if (NEVER_ASKED.has(error.reason)) return withoutAnswer('refused', error.reason, true);
    return withoutAnswer(error.sent ? 'unclear' : 'unavailable', error.reason, !error.sent);
  }
};
