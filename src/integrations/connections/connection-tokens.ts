import type { Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { OpenTokens } from '../requests/grant-requests.ts';
import type { Tokens } from '../requests/token-response.ts';
import { type Connection, type RefreshRules, reconnectBefore, refreshDueAt } from './connection.ts';

type Owned = Pick<Connection, 'teamId' | 'provider'>;

/** A team has one connection to a provider. A token belongs to that and to its column, and opens only there. */
const place = (provider: string, field: 'access_token' | 'refresh_token') => ({
  record: `connections/${provider}`,
  field,
});

export const sealTokens = async (
  vault: Vault,
  { teamId, provider }: Owned,
  { accessToken, refreshToken }: OpenTokens,
): Promise<Pick<Connection, 'accessToken' | 'refreshToken'>> => ({
  accessToken: await vault.seal(teamId, place(provider, 'access_token'), accessToken),
  refreshToken: refreshToken && (await vault.seal(teamId, place(provider, 'refresh_token'), refreshToken)),
});

export const openAccessToken = (
  vault: Vault,
  { teamId, provider, accessToken }: Owned & Pick<Connection, 'accessToken'>,
): Promise<Secret> => vault.open(teamId, place(provider, 'access_token'), accessToken);

/** Null if they don't open: changed, moved, or sealed with a key that is gone. */
export const openTokens = async (vault: Vault, connection: Connection): Promise<OpenTokens | null> => {
  const { teamId, provider, refreshToken: sealed } = connection;
  try {
    const accessToken = await openAccessToken(vault, connection);
    const refreshToken = sealed === null ? null : await vault.open(teamId, place(provider, 'refresh_token'), sealed);
    return { accessToken, refreshToken };
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

/** What a new set of tokens changes. Clears earlier errors and ends the lease. */
export const startFresh = async (
  vault: Vault,
  connection: Owned & Pick<Connection, 'connectedAt' | 'scopesAsked'>,
  tokens: Omit<Tokens, 'kept'>,
  rules: RefreshRules | null,
  obtainedAt: number,
) => {
  const { expiresAt, refreshExpiresAt, scopes } = tokens;
  const lifetimes = { expiresAt, refreshExpiresAt, connectedAt: connection.connectedAt, obtainedAt };
  return {
    status: 'connected' as const,
    reason: null,
    scopesGranted: scopes,
    ...(await sealTokens(vault, connection, tokens)),
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
