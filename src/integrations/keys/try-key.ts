import { usesClientCredentials } from '../catalogue/catalogue.ts';
import { type Values, withDefaults } from '../catalogue/placeholders.ts';
import type { ClientCredentialsProvider, KeyProvider } from '../catalogue/provider.ts';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import type { AskContext } from '../requests/ask-provider.ts';
import { requestClientToken, toEnteredClient, toTokenProvider } from '../requests/client-credentials.ts';
import { type KeyVerdict, verifyKey } from './verify-key.ts';

/**
 * An access token that was issued for a key. Its fields are plain values, so that it can be sealed together with the
 * key.
 */
export type IssuedToken = { accessToken: string; expiresAt: number | null; scopes: string[] | null; kept: Values };

type Refused = Exclude<KeyVerdict, { outcome: 'accepted' }>;
export type TriedKey = Refused | (Extract<KeyVerdict, { outcome: 'accepted' }> & { token: IssuedToken | null });

/** Short enough that this and the verification end before the request times out, after fifteen seconds. */
const TOKEN_MS = 6_000;

const toVerdict = ({ kind, httpStatus, retryAfterMs }: ProviderFailure): Refused => {
  if (kind === 'key_refused') return { outcome: 'rejected' };
  if (kind === 'not_asked') return { outcome: 'not_asked' };
  const isAway = kind === 'rate_limited' || kind === 'unavailable' || httpStatus === undefined;
  return isAway ? { outcome: 'unavailable', retryAfterMs } : { outcome: 'unconfirmed', status: httpStatus };
};

/** Values for requests to the API, besides the entered ones. */
export const toApiValues = (
  { record }: ClientCredentialsProvider,
  { details, clientId, accessToken }: { details: Values; clientId: string; accessToken: string },
): Values => ({ ...withDefaults(details, record), client_id: clientId, access_token: accessToken });

const tryClient = async (
  context: AskContext,
  provider: ClientCredentialsProvider,
  { fields, details }: { fields: Values; details: Values },
): Promise<TriedKey> => {
  const client = toEnteredClient(fields);
  const target = { provider: toTokenProvider(provider), client, values: details };
  const { tokens, failure } = await requestClientToken(context, target, TOKEN_MS);
  if (failure) return toVerdict(failure);
  const { expiresAt, scopes, kept } = tokens;
  const accessToken = tokens.accessToken.reveal();
  const known = toApiValues(provider, { details: { ...kept, ...details }, clientId: client.id, accessToken });
  const verdict = await verifyKey(context, provider, { ...known, client_secret: fields['client_secret'] ?? '' });
  return verdict.outcome === 'accepted' ? { ...verdict, token: { accessToken, expiresAt, scopes, kept } } : verdict;
};

/** Asks the provider whether a key works. If the key is for requesting access tokens, requests one. */
export const tryKey = async (
  context: AskContext,
  provider: KeyProvider,
  checked: { fields: Values; details: Values },
): Promise<TriedKey> => {
  if (usesClientCredentials(provider)) return tryClient(context, provider, checked);
  const verdict = await verifyKey(context, provider, { ...checked.details, ...checked.fields });
  return verdict.outcome === 'accepted' ? { ...verdict, token: null } : verdict;
};
