import type { Secret } from '../../platform/index.ts';
import { SealBroken, type SealedColumn, type Vault } from '../../vault/index.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import { limitScopes } from '../catalogue/scopes.ts';
import type { OpenTokens } from '../requests/grant-requests.ts';
import type { Tokens } from '../requests/token-response.ts';
import { type Connection, type ConnectionKey, type RefreshRules, reconnectBefore, refreshDueAt } from './connection.ts';
import { DEFAULT_CONNECTION } from './connection-name.ts';

/**
 * Where a token is stored: its connection and column. The sealed token opens only there. For `default`, the name is
 * left out, because its tokens may have been sealed before connections had names.
 */
export const placeOf = (
  { provider, name }: Pick<ConnectionKey, 'provider' | 'name'>,
  field: 'access_token' | 'refresh_token' | 'key' | 'client',
) => ({
  record: name === DEFAULT_CONNECTION ? `connections/${provider}` : `connections/${provider}/${name}`,
  field,
});

export const SEALED_TOKENS: readonly SealedColumn[] = [
  {
    table: 'connections',
    column: 'access_token',
    placedBy: ['provider', 'name'],
    placesOf: (provider = '', name = DEFAULT_CONNECTION) => [
      placeOf({ provider, name }, 'access_token'),
      placeOf({ provider, name }, 'key'),
    ],
  },
  {
    table: 'connections',
    column: 'refresh_token',
    placedBy: ['provider', 'name'],
    placesOf: (provider = '', name = DEFAULT_CONNECTION) => [
      placeOf({ provider, name }, 'refresh_token'),
      placeOf({ provider, name }, 'client'),
    ],
  },
];

/**
 * The credential that new access tokens are requested with: a refresh token, or a client ID and secret that a person
 * has entered. Both are stored in the same column, but sealed for different fields, so neither opens as the other.
 */
type Renewal = 'refresh_token' | 'client';

export const renewalOf = ({ grant }: Pick<ResolvedProvider, 'grant'>): Renewal =>
  grant === 'client_credentials' ? 'client' : 'refresh_token';

export const sealTokens = async (
  vault: Vault,
  key: ConnectionKey,
  { accessToken, refreshToken }: OpenTokens,
  renewal: Renewal = 'refresh_token',
): Promise<Pick<Connection, 'accessToken' | 'refreshToken'>> => ({
  accessToken: await vault.seal(key.teamId, placeOf(key, 'access_token'), accessToken),
  refreshToken: refreshToken && (await vault.seal(key.teamId, placeOf(key, renewal), refreshToken)),
});

export const openAccessToken = (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'accessToken'>,
): Promise<Secret> => vault.open(connection.teamId, placeOf(connection, 'access_token'), connection.accessToken);

/** Opens a connection's tokens. Null if they were changed, moved, or sealed with a key that is gone. */
export const openTokens = async (
  vault: Vault,
  connection: Connection,
  renewal: Renewal = 'refresh_token',
): Promise<OpenTokens | null> => {
  const { teamId, refreshToken: sealed } = connection;
  try {
    const accessToken = await openAccessToken(vault, connection);
    const refreshToken = sealed === null ? null : await vault.open(teamId, placeOf(connection, renewal), sealed);
    return { accessToken, refreshToken };
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

/** The changes to a connection when it gets new tokens. Clears earlier errors and ends the lease. */
export const startFresh = async (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'connectedAt' | 'scopesAsked'>,
  tokens: Omit<Tokens, 'kept'>,
  rules: RefreshRules | null,
  obtainedAt: number,
  renewal: Renewal = 'refresh_token',
) => {
  const { expiresAt, refreshExpiresAt, scopes } = tokens;
  const lifetimes = { expiresAt, refreshExpiresAt, connectedAt: connection.connectedAt, obtainedAt };
  return {
    status: 'connected' as const,
    reason: null,
    scopesGranted: scopes && limitScopes(scopes, connection.scopesAsked),
    ...(await sealTokens(vault, connection, tokens, renewal)),
    expiresAt,
    refreshExpiresAt,
    reconnectBefore: reconnectBefore(lifetimes, rules, scopes ?? connection.scopesAsked),
    lastError: null,
    failures: 0,
    troubleSince: null,
    refusal: null,
    refreshDueAt: refreshDueAt(lifetimes, rules),
    leaseOwner: null,
    leaseUntil: null,
    refreshBegunAt: null,
  };
};
