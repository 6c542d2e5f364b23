import type { Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { Connection } from './connection.ts';

/** Decrypted, for immediate use. */
export type OpenTokens = { accessToken: Secret; refreshToken: Secret | null };

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
export const openIfPossible = (vault: Vault, connection: Connection): Promise<OpenTokens | null> =>
  openTokens(vault, connection).catch((error) => {
    if (error instanceof SealBroken) return null;
    throw error;
  });

export const openTokens = async (
  vault: Vault,
  connection: Owned & Pick<Connection, 'accessToken' | 'refreshToken'>,
): Promise<OpenTokens> => ({
  accessToken: await openAccessToken(vault, connection),
  refreshToken:
    connection.refreshToken === null
      ? null
      : await vault.open(connection.teamId, place(connection.provider, 'refresh_token'), connection.refreshToken),
});
