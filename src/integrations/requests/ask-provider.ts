import { type Clock, type Log, type Outbound, OutboundFailed, type OutboundReason } from '../../platform/index.ts';
import type { Provider } from '../catalogue/catalogue.ts';
import { domainsOf, isUnder, namedHostsOf, plainHost } from '../catalogue/known-hosts.ts';
import { ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { type ProviderFailure, readRetryAfter, toFailure } from '../catalogue/provider-failure.ts';
import { buildProviderRequest, type Client, type RequestPlan } from './provider-request.ts';
import { errorCodeOf, parseAnswerBody } from './token-answer.ts';

export type AskDependencies = { outbound: Outbound; clock: Clock; log: Log };

/** The complete entry, and whether the operator wrote it. */
export type Asked = {
  record: FullRecord;
  custom: Provider['custom'];
  /** Its URLs come from the issuer's discovery document. */
  discovered?: boolean;
};

export type ProviderAnswer =
  | { status: number; answer: unknown; code: string | null; failure: null }
  | { status: number | null; answer: unknown; failure: ProviderFailure };

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

/** The request itself wasn't allowed, so asking again doesn't help. */
const NEVER_ASKED = new Set<OutboundReason>(['bad_url', 'bad_header', 'refused_host', 'refused_address']);

const decodeBasic = (authorization = ''): string =>
  Buffer.from(/^Basic (.+)$/.exec(authorization)?.[1] ?? '', 'base64').toString();

/** A word from our own request isn't the provider's own, and may echo a secret. */
const isSaidBack = (
  code: string,
  { url, headers = {}, body = '' }: ReturnType<typeof buildProviderRequest>,
): boolean => {
  const sent = [url, ...Object.values(headers), decodeBasic(headers['authorization']), body].join(' ');
  return sent.includes(code) || sent.includes(encodeURIComponent(code));
};

/**
 * A URL that the operator wrote may be private. What an issuer's discovery document names was written by someone else,
 * unless it's on the issuer's own host.
 */
const isOperators = ({ record, custom, discovered }: Asked, host: string): boolean => {
  if (!custom) return false;
  const written = discovered ? [...(record.domains ?? []), plainHost(new URL(record.issuer ?? ''))] : domainsOf(record);
  return isUnder(written, host);
};

/** There was no response, so there's no code. The words for it are ours. */
const withoutAnswer = (kind: ProviderFailure['kind'], surelyNotDone: boolean): ProviderAnswer => ({
  status: null,
  answer: null,
  failure: { kind, code: null, surelyNotDone, retryAfterMs: null },
});

/**
 * One request to a provider. Whatever comes back is a value: a response, or why there is none. The operator's
 * credentials go only to the entry's own domains. A team's also go to the host that an admin has named with them, if
 * that is public. Hosts that a connect request or a response names don't count.
 */
export const askProvider = async (
  { outbound, clock, log }: AskDependencies,
  asked: Asked,
  plan: RequestPlan,
  client: Client,
  values: Values,
): Promise<ProviderAnswer> => {
  const { record } = asked;
  const domains = domainsOf(record);
  try {
    const named = namedHostsOf(record, client.params);
    const request = buildProviderRequest(plan, client, values);
    const { status, headers, body } = await outbound.request({
      ...request,
      timeoutMs: plan.timeoutMs ?? TIMEOUT_MS,
      mostBytes: MOST_BYTES,
      hosts: (host) => isUnder(domains, host) || named.includes(host),
      trusted: isOperators(asked, plainHost(new URL(request.url))),
    });
    const answer = parseAnswerBody(body.toString('utf8'));
    const told = errorCodeOf(answer, record);
    const code = told !== null && isSaidBack(told, request) ? null : told;
    // The meaning depends on what the provider said. What is shown never includes what we sent.
    const said = { status, code: told, answer, retryAfterMs: readRetryAfter(headers['retry-after'], clock.now()) };
    if (status < 400) return { status, answer, code, failure: null };
    const failure = toFailure(said, record.errors);
    return { status, answer, failure: code === null ? { ...failure, code: null } : failure };
  } catch (error) {
    if (error instanceof ValueMissing) return withoutAnswer('not_asked', true);
    if (!(error instanceof OutboundFailed)) throw error;
    log.warn({ err: error, provider: record.id }, 'a provider could not be asked');
    if (NEVER_ASKED.has(error.reason)) return withoutAnswer('not_asked', true);
    return withoutAnswer(error.sent ? 'unclear' : 'unavailable', !error.sent);
  }
};
