import { createSecretKey, type KeyObject } from 'node:crypto';
import { SetupIncomplete } from '../platform/index.ts';
import { openEnvelope, sealEnvelope } from './envelope.ts';
import type { KeyRing } from './key-ring.ts';
import type { TeamKeyRow } from './team-key-store.ts';

/** The key ring can't open a team key in the database. */
export class RingIncomplete extends SetupIncomplete {
  override readonly name = 'RingIncomplete';
}

const bindingOf = ({ id, teamId }: Pick<TeamKeyRow, 'id' | 'teamId'>) => ['team key', teamId, id];

export const wrapTeamKey = (ring: KeyRing, of: Pick<TeamKeyRow, 'id' | 'teamId'>, key: KeyObject): TeamKeyRow => ({
  id: of.id,
  teamId: of.teamId,
  ringKeyId: ring.first.id,
  wrapped: sealEnvelope(ring.first.id, ring.first.key, bindingOf(of), key.export()),
});

export const unwrapTeamKey = (ring: KeyRing, row: TeamKeyRow): KeyObject => {
  const ringKey = ring.find(row.ringKeyId);
  if (!ringKey) {
    throw new RingIncomplete(
      `PATCHBAY_KEYS is missing key "${row.ringKeyId}", which protects team keys in this database. Add it after the others, or check that these are the keys of this database.`,
    );
  }
  try {
    return createSecretKey(openEnvelope(ringKey.key, bindingOf(row), row.wrapped));
  } catch {
    throw new RingIncomplete(
      `PATCHBAY_KEYS has the wrong key "${row.ringKeyId}": it is not the one that protects team keys in this database. Restore it, or check that these are the keys of this database.`,
    );
  }
};

export const opens = (ring: KeyRing, row: TeamKeyRow): boolean => {
  try {
    unwrapTeamKey(ring, row);
    return true;
  } catch (error) {
    if (error instanceof RingIncomplete) return false;
    throw error;
  }
};

const MOST_NAMED = 5;

/** Throws if there are team keys that the ring doesn't open although it opens others. */
export const refuseForeign = (rows: readonly TeamKeyRow[]): void => {
  if (rows.length === 0) return;
  const ids = [...new Set(rows.map(({ ringKeyId }) => `"${ringKeyId}"`))].slice(0, MOST_NAMED).join(', ');
  const teams = rows.slice(0, MOST_NAMED).map(({ teamId }) => teamId);
  const more = rows.length > teams.length ? ` and ${rows.length - teams.length} more` : '';
  throw new RingIncomplete(
    `PATCHBAY_KEYS is missing key ${ids}, or has another one of that name, so it does not open the keys of these teams: ${teams.join(', ')}${more}. Add the key they were made with after the others. If a team was created with the wrong keys by mistake, run "team delete <id> --yes".`,
  );
};
