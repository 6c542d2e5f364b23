import { Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { placeOf } from '../connections/connection-tokens.ts';

/** The key as a secret, in the form that is sealed. */
export const toKeySecret = (fields: Values): Secret => new Secret(JSON.stringify(fields), Object.values(fields));

/**
 * Seals a key. It's stored in the access token's column, but sealed for another field, so that it can't be decrypted as
 * an access token.
 */
export const sealKey = (vault: Vault, key: ConnectionKey, fields: Values): Promise<string> =>
  vault.seal(key.teamId, placeOf(key, 'key'), toKeySecret(fields));

/**
 * Opens a connection's key for immediate use. Null if it can't be decrypted, or if the column holds a token instead. A
 * key that access tokens are requested with is stored as the refresh token.
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

/** Whether a connection holds exactly the key that was entered. */
export const holdsKey = async (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'accessToken' | 'refreshToken' | 'details'>,
  { fields, details }: { fields: Values; details: Values },
): Promise<boolean> => {
  const held = await openKey(vault, connection);
  const stored: Values = { ...connection.details, ...held };
  // Compare only the entered values. The connection may also keep values that the provider sent.
  return held !== null && Object.entries({ ...details, ...fields }).every(([name, value]) => stored[name] === value);
};
