import type { IntegrationsContext } from '../../context.ts';
import { type AddressSighting, putSighting } from './address-store.ts';
import type { OperatorSightings } from './operator-sightings.ts';
import type { SeenReason } from './refusal-words.ts';

const WRITE_EVERY_MS = 1_000;
/** How many addresses may wait to be written. Others are left out until the next second. */
const MOST_PENDING = 1_000;

type Pending = Omit<AddressSighting, 'used'> & { used: Map<string, number> };
type Seen = { teamId: string | null; id: string; provider: string };

type SightingsContext = Pick<IntegrationsContext, 'database' | 'clock' | 'log'> & {
  operatorSightings: OperatorSightings;
};

/**
 * Notes what arrives at teams' addresses. It's written once a second, not for each message. What arrives at the
 * operator's is only noted in memory.
 */
export const createSightings = ({ database, clock, log, operatorSightings }: SightingsContext) => {
  let pending = new Map<string, Pending>();

  const take = ({ teamId, id }: Seen): Pending | null => {
    const known = pending.get(id);
    if (known || teamId === null || pending.size >= MOST_PENDING) return known ?? null;
    const made = { teamId, id, used: new Map<string, number>() };
    pending.set(id, made);
    return made;
  };

  const writePending = async (): Promise<void> => {
    const writing = pending;
    pending = new Map();
    for (const sighting of writing.values())
      await database
        .transaction((tx) => putSighting(tx, sighting))
        .catch((err) => log.warn({ err, address: sighting.id }, 'what arrived at an address could not be noted'));
  };
  let writing = Promise.resolve();
  const write = (): Promise<void> => {
    writing = writing.then(writePending);
    return writing;
  };
  const timer = setInterval(() => void write(), WRITE_EVERY_MS).unref();

  return {
    delivered(
      seen: Seen,
      { type, connection, secretId }: { type: string; connection: string | null; secretId?: string | undefined },
    ): void {
      if (seen.teamId === null) operatorSightings.delivered(seen.provider, type);
      const sighting = take(seen);
      if (!sighting) return;
      sighting.delivery = { at: clock.now(), type, connection };
      if (secretId !== undefined) sighting.used.set(secretId, clock.now());
    },
    refused(seen: Seen, reason: SeenReason): void {
      if (seen.teamId === null) operatorSightings.refused(seen.provider, reason);
      const sighting = take(seen);
      if (sighting) sighting.refusal = { at: clock.now(), reason };
    },
    /** Writes everything that was noted so far. */
    flush: write,
    async close(): Promise<void> {
      clearInterval(timer);
      await write();
    },
  };
};

export type Sightings = ReturnType<typeof createSightings>;
