import { Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import { knownOf } from '../requests/chosen-site.ts';
import { refreshTokens } from '../requests/grant-requests.ts';
import { verifyToken } from '../requests/verify-token.ts';
import { hasExpired } from './connection.ts';
import { changeRevocationTokens, type Revocation } from './revocation-store.ts';

/*
 * Whether a grant has really ended after the provider said so: some answer 200 and revoke nothing.
 *
 * Right after the revocation, the access token is verified once. A refusal confirms the revocation. If the answer isn't
 * clear, the provider is believed. If the token still works, the job looks again, at longer and longer intervals:
 *
 * - An access token may outlive its grant until it expires. So while it works, the refresh token decides: if the
 *   provider refuses it, the grant has ended. If not, the grant lives, and is revoked again.
 * - Without a refresh token, the access token decides. Once it has expired, nothing is left that could be used.
 */

/** `ended`: nothing of the grant works anymore. `unclear`: the provider's response doesn't say, or there was none. */
export type GrantStanding = 'ended' | 'alive' | 'unclear';

/** Short, because someone waits for the disconnect. */
const CHECK_MS = 3_000;

export const placeIn = (id: string, field: 'token' | 'access_token') => ({ record: `revocations/${id}`, field });

export const openRevocationToken = (vault: Vault, { teamId, id, token }: Revocation): Promise<Secret> =>
  vault.open(teamId, placeIn(id, 'token'), token);

/** Opens the grant's access token. Null if none was kept, or if it has expired, so that it would be refused anyway. */
export const openAccess = async (context: IntegrationsContext, revocation: Revocation): Promise<Secret | null> => {
  const { vault, clock } = context;
  const { teamId, id, tokenKind, accessToken, accessExpiresAt: expiresAt } = revocation;
  if (hasExpired({ expiresAt }, clock.now())) return null;
  if (tokenKind === 'access') return openRevocationToken(vault, revocation);
  return accessToken === null ? null : vault.open(teamId, placeIn(id, 'access_token'), accessToken);
};

/** Verifies the access token that was kept. */
export const findStanding = async (
  context: IntegrationsContext,
  target: Target,
  revocation: Revocation,
): Promise<GrantStanding> => {
  const accessToken = await openAccess(context, revocation);
  if (!accessToken) return 'unclear';
  // Without the chosen site, a verification that needs one isn't sent: for another site, a refusal would mean nothing.
  const values = knownOf(target.provider.record, { ...revocation, site: { state: 'open' } });
  const { outcome } = await verifyToken(context, { ...target, values }, accessToken, CHECK_MS);
  if (outcome === 'accepted') return 'alive';
  return outcome === 'rejected' ? 'ended' : 'unclear';
};

/** Gets new tokens for a grant that has to be revoked, and stores them, because the old refresh token may be used up. */
export const renewForRevocation = async (
  context: IntegrationsContext,
  target: Target,
  revocation: Revocation,
): Promise<{ accessToken: Secret; failure: null } | { failure: ProviderFailure }> => {
  const { database, vault, url } = context;
  const { teamId, id, provider } = revocation;
  const refreshToken = await openRevocationToken(vault, revocation);
  const spent = { accessToken: new Secret(''), refreshToken, redirectUri: redirectUriOf(url, provider) };
  const { tokens, failure } = await refreshTokens(context, target, spent);
  if (failure) return { failure };
  const { accessToken, expiresAt } = tokens;
  await changeRevocationTokens(database, revocation, {
    token: tokens.refreshToken && (await vault.seal(teamId, placeIn(id, 'token'), tokens.refreshToken)),
    accessToken: await vault.seal(teamId, placeIn(id, 'access_token'), accessToken),
    accessExpiresAt: expiresAt,
  });
  return { accessToken, failure: null };
};

/** Looks again at a grant whose access token still worked after the revocation. */
export const findStandingLater = async (
  context: IntegrationsContext,
  target: Target,
  revocation: Revocation,
): Promise<GrantStanding> => {
  const { refresh } = target.provider.record;
  const isUsable = (await openAccess(context, revocation)) !== null;
  const standing = isUsable ? await findStanding(context, target, revocation) : null;
  if (standing === 'ended' || standing === 'unclear') return standing;
  if (revocation.tokenKind === 'refresh' && refresh && !refresh.extended) {
    const { failure } = await renewForRevocation(context, target, revocation);
    if (failure) return failure.kind === 'invalid_grant' ? 'ended' : 'unclear';
    return 'alive';
  }
  return standing ?? 'ended';
};
