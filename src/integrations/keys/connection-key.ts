import { Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { placeOf } from '../connections/connection-tokens.ts';

/** As it's sealed. */
export const toKeySecret = (fields: Values): Secret => new Secret(JSON.stringify(fields), Object.values(fields));

/** It's in the access token's column, but doesn't open as an access token, even if the entry's kind changes. */
export const sealKey = (vault: Vault, key: ConnectionKey, fields: Values): Promise<string> =>
  vault.seal(key.teamId, placeOf(key, 'key'), toKeySecret(fields));

/**
 * For immediate use. Null if it doesn't open: changed, moved, sealed with a key that is gone, or a token. If it only serves
 * to request access tokens, such a token is in its place, and the key is where OAuth has a refresh token.
 */
export const openKey = async (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'accessToken' | 'refreshToken'>,
): Promise<Values | null> => {
  const { teamId, accessToken, refreshToken } = connection;
  const place = placeOf(connection, refreshToken === null ? 'key' : 'client');
  try {
    return JSON.parse((await vault.open(teamId, place, refreshToken ?? accessToken)).reveal());
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

/** Whether a connection holds exactly what was entered. */
export const holdsKey = async (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'accessToken' | 'refreshToken' | 'details'>,
  { fields, details }: { fields: Values; details: Values },
): Promise<boolean> => {
  const held = await openKey(vault, connection);
  const stored: Values = { ...connection.details, ...held };
  // A connection may also keep what the provider has sent.
  return held !== null && Object.entries({ ...details, ...fields }).every(([name, value]) => stored[name] === value);
};
