import { Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import { attemptUsed } from '../errors.ts';
import type { AcceptedKey } from '../keys/accept-key.ts';
import type { ConnectAttempt } from './attempt-store.ts';
import { type ConnectRequest, type ConnectState, STANDARD_OPTIONS } from './connect-state.ts';

/** The content of a parked attempt, which is sealed: everything that the exchange needs, or an accepted key. */
export type ParkedCode = ConnectRequest & Pick<ConnectState, 'verifier'> & { callback: [string, string][] };
export type ParkedKey = ConnectRequest & { key: AcceptedKey };
export type Parked = ParkedCode | ParkedKey;

const place = (stateDigest: string) => ({ record: `connect_attempts/${stateDigest}`, field: 'callback' });

export const SEALED_ATTEMPTS: SealedColumn = {
  table: 'connect_attempts',
  column: 'callback',
  placedBy: ['state_digest'],
  placesOf: (id = '') => [place(id)],
};

export const sealParked = (
  vault: Vault,
  { teamId, stateDigest }: Pick<ConnectAttempt, 'teamId' | 'stateDigest'>,
  parked: Parked,
): Promise<string> => vault.seal(teamId, place(stateDigest), new Secret(JSON.stringify(parked)));

export const openParked = async (vault: Vault, { teamId, stateDigest, callback }: ConnectAttempt): Promise<Parked> => {
  if (callback === null) throw attemptUsed();
  const parked = JSON.parse((await vault.open(teamId, place(stateDigest), callback)).reveal());
  // Attempts stored by older versions may lack a session or a connection name. Without a name, the default one is
  // meant.
  return { ...STANDARD_OPTIONS, sessionId: null, ...parked };
};
