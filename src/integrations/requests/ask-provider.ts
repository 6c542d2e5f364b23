import { OutboundFailed, type OutboundReason } from '../../platform/index.ts';
import type { Client } from '../catalogue/client.ts';
import { createPlaceCheck, domainsOf, isUnder, plainHost } from '../catalogue/known-hosts.ts';
import { makeRandom, ValueMissing, type Values, withDefaults } from '../catalogue/placeholders.ts';
import type { KeyProvider, ResolvedProvider } from '../catalogue/provider.ts';
import { failWithoutResponse, type ProviderFailure, readRetryAfter, toFailure } from '../catalogue/provider-failure.ts';
import type { IntegrationsContext } from '../context.ts';
import { signAssertion } from './client-assertion.ts';
import { buildProviderRequest, type RequestPlan } from './provider-request.ts';
import { errorCodeOf, parseResponseBody } from './token-response.ts';

/** The dependencies of a request to a provider. */
export type AskContext = Pick<IntegrationsContext, 'outbound' | 'clock' | 'log'>;

/** The provider, the client that makes the request, and the values for placeholders. */
export type Target = { provider: ResolvedProvider; client: Client; values: Values };

export type ProviderResponse =
  | { status: number; body: unknown; code: string | null; isSaidBack: boolean; failure: null }
  | { status: number | null; body: unknown; failure: ProviderFailure };

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 1024;

/** Reasons that mean that the request itself wasn't allowed, so that retrying doesn't help. */
const NEVER_ASKED = new Set<OutboundReason>(['bad_url', 'bad_header', 'refused_host', 'refused_address']);

const decodeBasic = (authorization = ''): string =>
  Buffer.from(/^Basic (.+)$/.exec(authorization)?.[1] ?? '', 'base64').toString();

/** Whether an error code also occurs in our request. If so, it may be an echoed secret. */
const isSaidBack = (
  code: string,
  { url, headers = {}, body = '' }: ReturnType<typeof buildProviderRequest>,
): boolean => {
  const sent = [url, ...Object.values(headers), decodeBasic(headers['authorization']), body].join(' ');
  return sent.includes(code) || sent.includes(encodeURIComponent(code));
};

/**
 * Whether the operator wrote this host into the entry, so that it may be private. Hosts in a discovery document aren't
 * the operator's, except for the issuer's own host.
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
 * Makes one request to a provider. Returns a failure instead of throwing. The operator's credentials are sent only to
 * the entry's own domains. A team's credentials are also sent to the host that an admin set them up with, if it's
 * public. Hosts that a connect request or a response names are never added.
 */
export const askProvider = async (
  { outbound, clock, log }: AskContext,
  { provider, client, values }: Target,
  plan: RequestPlan,
): Promise<ProviderResponse> => {
  const { record } = provider;
  try {
    const mayReceive = createPlaceCheck(record, client.params);
    // A connection from before the entry had a param has no value for it, but the entry may have a default.
    const known = withDefaults(values, record);
    const assertion = plan.auth === 'none' ? null : signAssertion(record, client, known, clock.now());
    const request = buildProviderRequest(plan, client, { ...known, random: makeRandom() }, assertion);
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
    // A missing client field is for the operator or an admin to set. Any other value should have been stored with the
    // connection, so there is no way to ask.
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
