import { createSecretKey, type KeyObject } from 'node:crypto';
import { openEnvelope, sealEnvelope } from './envelope.ts';
import type { KeyRing } from './key-ring.ts';
import type { TeamKeyRow } from './team-key-store.ts';

/** The key ring can't open a team key in the database. */
export class RingIncomplete extends Error {
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
      `PATCHBAY_KEYS is missing key "${row.ringKeyId}", which protects team keys in this database. Add it after the others.`,
    );
  }
  try {
    return createSecretKey(openEnvelope(ringKey.key, bindingOf(row), row.wrapped));
  } catch {
    throw new RingIncomplete(
      `PATCHBAY_KEYS has the wrong key "${row.ringKeyId}": it is not the one that protects team keys in this database. Restore it.`,
    );
  }
};
