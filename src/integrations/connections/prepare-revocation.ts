import type { SealedColumn } from '../../vault/index.ts';
import { getOauthProvider, isKeyBased } from '../catalogue/catalogue.ts';
import type { OauthProvider, ResolvedProvider } from '../catalogue/provider.ts';
import type { IntegrationsContext } from '../context.ts';
import { presume } from '../requests/discovery.ts';
import { type OpenTokens, pickTokenToRevoke } from '../requests/grant-requests.ts';
import { authoritiesOf } from './authority.ts';
import { type Grant, isGrantShared } from './client-use-store.ts';
import { type Connection, hasExpired } from './connection.ts';
import { openTokens } from './connection-tokens.ts';
import { placeIn } from './grant-standing.ts';
import type { Revocation } from './revocation-store.ts';

/** How long a revocation, and the tokens that it needs, are kept. */
export const REVOCATION_KEPT_MS = 7 * 24 * 3_600_000;

export type Obstacle = 'unsupported' | 'unknown' | 'shared';

/** `unsupported`: the provider says that it revokes nothing. `unknown`: nobody has found out how it does. */
type NoWay = 'unsupported' | 'unknown';

const noWayAt = ({ revoke }: ResolvedProvider['record']): NoWay => (revoke === null ? 'unsupported' : 'unknown');

/**
 * Finds why a grant isn't ended at the provider: there is no known way, or another connection uses the same grant.
 */
export const findObstacle = async (
  { database, clock }: IntegrationsContext,
  resolved: ResolvedProvider,
  grant: Omit<Grant, 'authorities'> & Pick<Connection, 'authority' | 'details'>,
): Promise<Obstacle | null> => {
  const { revoke } = resolved.record;
  if (!revoke) return noWayAt(resolved.record);
  if (revoke.kills === 'token') return null;
  const authorities = authoritiesOf(resolved, grant);
  return (await isGrantShared(database, { ...grant, authorities }, clock.now())) ? 'shared' : null;
};

/** Completes an entry. If its issuer can't be reached, the provider is told later. */
const resolve = async ({ discover }: IntegrationsContext, provider: OauthProvider): Promise<ResolvedProvider> =>
  Promise.resolve(discover(provider)).catch(() => presume(provider));

/** Whether another connection that goes on uses the same grant, so that the provider isn't told to end it. */
export const isSharedWithOthers = async (context: IntegrationsContext, connection: Connection): Promise<boolean> => {
  const provider = getOauthProvider(context.catalogue, connection.provider);
  if (!provider) return false;
  return (await findObstacle(context, await resolve(context, provider), connection)) === 'shared';
};

export const SEALED_REVOCATIONS = (['token', 'access_token'] as const).map(
  (column): SealedColumn => ({
    ...{ table: 'revocations', column, placedBy: ['id'] },
    placesOf: (id = '') => [placeIn(id, column)],
  }),
);

/**
 * Seals the token that the revocation needs, and one that shows whether it has worked. Call this before starting a transaction, or while the team's key is in
 * memory: otherwise, sealing queries the database.
 */
export const sealRevocation = async (
  { vault, clock, newId }: IntegrationsContext,
  resolved: ResolvedProvider,
  connection: Connection,
  tokens: OpenTokens,
): Promise<Revocation> => {
  const { teamId, provider, details, clientId, clientOf, authority } = connection;
  const { accountId, installationId, accountFrom } = connection;
  const id = newId();
  const createdAt = clock.now();
  const { accessToken, refreshToken } = tokens;
  const { expiresAt: accessExpiresAt } = connection;
  // Some providers revoke a grant by its access token. If that has expired, keep the refresh token, to get a new access
  // token with it first.
  const { kind, token } =
    refreshToken && resolved.record.refresh && !resolved.record.refresh.extended && hasExpired(connection, createdAt)
      ? { kind: 'refresh' as const, token: refreshToken }
      : pickTokenToRevoke(resolved, tokens);
  const isShown = kind === 'refresh' && Boolean(resolved.record.api?.verify) && !hasExpired(connection, createdAt);
  return {
    ...{ id, teamId, provider, details, clientId, clientOf, authority, accountId, installationId, accountFrom },
    tokenKind: kind,
    token: await vault.seal(teamId, placeIn(id, 'token'), token),
    accessToken: isShown ? await vault.seal(teamId, placeIn(id, 'access_token'), accessToken) : null,
    accessExpiresAt,
    answeredAt: null,
    createdAt,
    expiresAt: createdAt + REVOCATION_KEPT_MS,
  };
};

/**
 * Prepares the revocation of a connection's grant. If there is no known way, or the tokens can't be decrypted, returns
 * what a disconnect says instead. A key belongs to the person who entered it, and only they can revoke it.
 */
export const prepareRevocation = async (
  context: IntegrationsContext,
  connection: Connection,
): Promise<Revocation | NoWay> => {
  const { catalogue, vault } = context;
  const provider = catalogue.get(connection.provider);
  if (!provider) return 'unknown';
  if (isKeyBased(provider)) return 'unsupported';
  const resolved = await resolve(context, provider);
  if (!resolved.record.revoke) return noWayAt(resolved.record);
  const tokens = await openTokens(vault, connection);
  return tokens ? sealRevocation(context, resolved, connection, tokens) : 'unknown';
};
