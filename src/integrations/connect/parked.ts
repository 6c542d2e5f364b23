import { digestOf, randomSecret, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { attemptExpired, attemptUsed, stateUsed } from '../errors.ts';
import { type ConnectAttempt, endOlderParked, insertAttempt } from './attempt-store.ts';
import { STANDARD_OPTIONS, STATE_LIFETIME_MS } from './connect-state.ts';
import type { Brought } from './finish-attempt.ts';
import { type Finished, failed } from './outcome.ts';

/** How many parked attempts a user can have. People need one or two, and each may be as long as a URL. */
const MOST_PARKED = 20;

const place = (stateDigest: string) => ({ record: `connect_attempts/${stateDigest}`, field: 'callback' });

export const SEALED_ATTEMPTS: SealedColumn = {
  table: 'connect_attempts',
  column: 'callback',
  placedBy: ['state_digest'],
  placesOf: (id = '') => [place(id)],
};

/**
 * Keeps the code or the key for the user who started the connect. If too many are kept for a user, the oldest expires
 * early.
 */
export const park = async (
  { database, vault }: IntegrationsContext,
  attempt: ConnectAttempt,
  brought: Brought,
): Promise<Finished> => {
  const { teamId, stateDigest } = attempt;
  const secret = randomSecret();
  const callback = await vault.seal(teamId, place(stateDigest), new Secret(JSON.stringify(brought)));
  const row = { ...attempt, phase: 'parked' as const, attemptDigest: digestOf(secret), callback };
  if ((await insertAttempt(database, row)) === 0) throw stateUsed();
  await endOlderParked(database, attempt, MOST_PARKED, JSON.stringify(failed(attemptExpired())));
  return { outcome: 'confirm', attempt: secret };
};

export const openParked = async (vault: Vault, attempt: ConnectAttempt): Promise<Brought> => {
  const { teamId, stateDigest, callback, expiresAt } = attempt;
  if (callback === null) throw attemptUsed();
  const stored = JSON.parse((await vault.open(teamId, place(stateDigest), callback)).reveal());
  // Older versions stored neither the connection's name nor when it began, and the session or token beside the rest.
  const { sessionId = null, tokenId = null, ...brought } = stored;
  const begun = { begunAt: expiresAt - STATE_LIFETIME_MS, sessionId, tokenId };
  return { ...STANDARD_OPTIONS, begun, ...brought };
};
