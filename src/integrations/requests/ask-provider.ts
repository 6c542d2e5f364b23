import { OutboundFailed, type OutboundReason } from '../../platform/index.ts';
import type { Client } from '../catalogue/client.ts';
import { createPlaceCheck, domainsOf, isUnder, plainHost } from '../catalogue/known-hosts.ts';
import { makeRandom, ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { KeyProvider, ResolvedProvider } from '../catalogue/provider.ts';
import { failWithoutResponse, type ProviderFailure, readRetryAfter, toFailure } from '../catalogue/provider-failure.ts';
import type { IntegrationsContext } from '../context.ts';
import { signAssertion } from './client-assertion.ts';
import { buildProviderRequest, type RequestPlan } from './provider-request.ts';
import { errorCodeOf, parseResponseBody } from './token-response.ts';

/** What a request to a provider needs. */
export type AskContext = Pick<IntegrationsContext, 'outbound' | 'clock' | 'log'>;

/** The provider to ask, the client that asks, and the values for placeholders. */
export type Target = { provider: ResolvedProvider; client: Client; values: Values };

export type ProviderResponse =
  | { status: number; body: unknown; code: string | null; isSaidBack: boolean; failure: null }
  | { status: number | null; body: unknown; failure: ProviderFailure };

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 1024;

/** Reasons that mean that the request itself wasn't allowed, so retrying doesn't help. */
const NEVER_ASKED = new Set<OutboundReason>(['bad_url', 'bad_header', 'refused_host', 'refused_address']);

const decodeBasic = (authorization = ''): string =>
  Buffer.from(/^Basic (.+)$/.exec(authorization)?.[1] ?? '', 'base64').toString();

/** Whether an error code is also a part of our request. Such a code may echo a secret. */
const isSaidBack = (
  code: string,
  { url, headers = {}, body = '' }: ReturnType<typeof buildProviderRequest>,
): boolean => {
  const sent = [url, ...Object.values(headers), decodeBasic(headers['authorization']), body].join(' ');
  return sent.includes(code) || sent.includes(encodeURIComponent(code));
};

/**
 * Whether the operator wrote this host into the entry. If so, it may be private. Hosts in an issuer's discovery
 * document were written by someone else, except for the issuer's own host.
 */
export const isOperators = (provider: ResolvedProvider | KeyProvider, host: string): boolean => {
  const { record, custom } = provider;
  if (!custom) return false;
  const issuer = 'discovered' in provider && provider.discovered ? (provider.record.issuer ?? '') : null;
  return isUnder(issuer === null ? domainsOf(record) : [...(record.domains ?? []), plainHost(new URL(issuer))], host);
};

const withoutResponse = (...failure: Parameters<typeof failWithoutResponse>): ProviderResponse => ({
  status: null,
  body: null,
  failure: failWithoutResponse(...failure),
});

/**
 * Makes one request to a provider. The result is always a value: a response, or why there is none. The operator's
 * credentials go only to the entry's own domains. A team's credentials also go to the place that an admin has named
 * with them, if that is public. Hosts that a connect request or a response names don't count.
 */
export const askProvider = async (
  { outbound, clock, log }: AskContext,
  { provider, client, values }: Target,
  plan: RequestPlan,
): Promise<ProviderResponse> => {
  const { record } = provider;
  try {
    const mayReceive = createPlaceCheck(record, client.params);
    const assertion = plan.auth === 'none' ? null : signAssertion(record, client, values, clock.now());
    const request = buildProviderRequest(plan, client, { ...values, random: makeRandom() }, assertion);
    const url = new URL(request.url);
    const response = await outbound.request({
      ...request,
      timeoutMs: plan.timeoutMs ?? TIMEOUT_MS,
      mostBytes: plan.mostBytes ?? MOST_BYTES,
      hosts: () => mayReceive(url),
      trusted: isOperators(provider, plainHost(url)),
    });
    const { status } = response;
    const body = parseResponseBody(response.body.toString('utf8'));
    const code = errorCodeOf(body, record);
    const said = { status, body, code, isSaidBack: code !== null && isSaidBack(code, request) };
    if (status < 400) return { ...said, failure: null };
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], clock.now());
    return { status, body, failure: toFailure({ ...said, retryAfterMs }, record.errors) };
  } catch (error) {
    // If a client field is missing, the operator or an admin has to set it, so the address isn't at fault.
    if (error instanceof ValueMissing)
      return withoutResponse(
        Object.hasOwn(record.clientFields ?? {}, error.placeholder) ? 'client_missing' : 'not_asked',
      );
    if (!(error instanceof OutboundFailed)) throw error;
    log.warn({ err: error, provider: record.id }, 'a request to a provider failed');
    if (NEVER_ASKED.has(error.reason)) return withoutResponse('not_asked');
    return withoutResponse(error.sent ? 'unclear' : 'unavailable', !error.sent);
  }
};
