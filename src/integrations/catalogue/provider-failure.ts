import { matchesAny, type RefusedResponse } from './error-sign.ts';
import type { FullRecord } from './provider.ts';

const WORDS = {
  invalid_grant: 'The provider no longer accepts this connection. It was revoked, expired, or used elsewhere.',
  invalid_client: 'The provider rejects the client ID and secret (or private key) of the OAuth app.',
  client_missing: 'The OAuth app that this connection was made with is no longer set up.',
  client_replaced: 'This connection was made with a different OAuth app than the current one.',
  key_refused: 'The provider no longer accepts this key. Enter a new one.',
  refused: 'The provider refused the request.',
  rate_limited: 'The provider is rate limiting requests.',
  unavailable: 'The provider is having problems or is unreachable.',
  unclear: 'The provider sent no readable response.',
  not_asked: "Requests to the provider's address are not allowed.",
};

/**
 * Why a provider didn't return what we requested.
 *
 * `surelyNotDone`: the request can safely be repeated, because the provider refused it, or because it was never sent.
 * Without a response, or with a broken one, we can't know, and a single-use token may be used up.
 */
export type ProviderFailure = {
  kind: keyof typeof WORDS;
  /** The provider's own error code. Null if it has none, or if the code can't be shown. */
  code: string | null;
  /** Left out if there was no response. */
  httpStatus?: number;
  surelyNotDone: boolean;
  retryAfterMs: number | null;
};

/** A failure without a response from the provider, and so without an error code. */
export const failWithoutResponse = (kind: ProviderFailure['kind'], surelyNotDone = true): ProviderFailure => ({
  kind,
  code: null,
  surelyNotDone,
  retryAfterMs: null,
});

/** Describes a failure for people. Only `code` comes from the provider, and `toShowableCode` has checked it. */
export const describeFailure = ({ kind, code }: ProviderFailure): string =>
  code && code !== kind ? `${WORDS[kind]} The error code was "${code}".` : WORDS[kind];

/** An error code: words or a short number. Tokens and secrets hardly ever look like this. */
const SHOWABLE = /^(?=.{1,64}$)(?:[a-z]+(?:[_.-][a-z]+)*|[A-Z]+(?:[_.-][A-Z]+)*\d{0,6}|\d{1,6})$/;

/** Returns the text if it looks like an error code, and otherwise null. A provider's other texts are never shown. */
export const toShowableCode = (text: string | null): string | null => (text && SHOWABLE.test(text) ? text : null);

const CLIENT_CODES = ['invalid_client', 'unauthorized_client', 'invalid_client_id', 'bad_client_secret'];
/** A date as in RFC 9110. `Date.parse` alone would accept almost any text. */
const HTTP_DATE = /^[A-Z][a-z]+, .+ GMT$/;
const MOST_RETRY_AFTER_MS = 24 * 3_600_000;

/** Reads a Retry-After header, in seconds or as a date. Null if it has no usable value. */
export const readRetryAfter = (header: string | undefined, now: number): number | null => {
  if (header === undefined) return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MOST_RETRY_AFTER_MS) : null;
};

/**
 * Classifies a refusal by the usual codes and by the entry's own. `isSaidBack`: the code also occurs in our request, so
 * it may be an echoed secret. Such a code is used to classify the refusal, but isn't shown.
 */
export const toFailure = (
  response: RefusedResponse & { retryAfterMs?: number | null; isSaidBack?: boolean },
  { invalidGrant = [], invalidClient = [] }: FullRecord['errors'] = {},
): ProviderFailure => {
  const { status, code, retryAfterMs = null, isSaidBack = false } = response;
  const rest = { code: isSaidBack ? null : toShowableCode(code), httpStatus: status, retryAfterMs };
  const failure = (kind: ProviderFailure['kind'], surelyNotDone = true) => ({ kind, ...rest, surelyNotDone });
  if (status === 429) return failure('rate_limited');
  if (status >= 500 || status === 408) return failure('unavailable', false);
  if (matchesAny(['invalid_grant', ...invalidGrant], response)) return failure('invalid_grant');
  if (matchesAny([...CLIENT_CODES, ...invalidClient], response)) return failure('invalid_client');
  if (status >= 400 || code !== null) return failure('refused');
  return failure('unclear', false);
};
