import { isDeepStrictEqual } from 'node:util';
import { Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { placeOf } from '../connections/connection-tokens.ts';

/** It's in the access token's column, but doesn't open as an access token, even if the entry's kind changes. */
const place = (key: ConnectionKey) => placeOf(key, 'key');

export const sealKey = (vault: Vault, key: ConnectionKey, fields: Values): Promise<string> =>
  vault.seal(key.teamId, place(key), new Secret(JSON.stringify(fields), Object.values(fields)));

/** For immediate use. Null if it doesn't open: changed, moved, sealed with a key that is gone, or an access token. */
export const openKey = async (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'accessToken'>,
): Promise<Values | null> => {
  try {
    return JSON.parse((await vault.open(connection.teamId, place(connection), connection.accessToken)).reveal());
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
};

/** Whether a connection holds exactly what was entered. */
export const holdsKey = async (
  vault: Vault,
  connection: ConnectionKey & Pick<Connection, 'accessToken' | 'details'>,
  { fields, details }: { fields: Values; details: Values },
): Promise<boolean> => {
  const held = await openKey(vault, connection);
  return held !== null && isDeepStrictEqual({ ...connection.details, ...held }, { ...details, ...fields });
};
