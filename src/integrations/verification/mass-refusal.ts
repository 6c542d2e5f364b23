import type { Clock } from '../../platform/index.ts';
import type { Connection } from '../connections/connection.ts';

/** So many connections, of so many teams, in so short a time, and none accepted in between. */
const LEAST = { connections: 10, teams: 3 };
const WINDOW_MS = 3_600_000;

type Refused = Pick<Connection, 'teamId'> & { at: number };

type Place = Pick<Connection, 'provider' | 'authority'>;

/** Anybody may run some providers' software, so each host counts for itself. */
const keyOf = ({ provider, authority }: Place): string => `${provider} ${authority}`;

/**
 * Notices a provider that refuses everybody: it's more likely to be out of order than to have ended so many grants at
 * once. Each process counts for itself, and forgets a provider once it accepts a token.
 */
export const createMassRefusals = ({ clock }: { clock: Clock }) => {
  const refusedBy = new Map<string, Refused[]>();
  return {
    accept(place: Place): void {
      refusedBy.delete(keyOf(place));
    },
    /** Counts a refusal. Returns false if there are so many that it shouldn't be believed. */
    believes({ teamId, ...place }: Place & Pick<Connection, 'teamId'>): boolean {
      const at = clock.now();
      const recent = (refusedBy.get(keyOf(place)) ?? []).filter((one) => one.at <= at && at - one.at < WINDOW_MS);
      refusedBy.set(keyOf(place), recent);
      const teams = new Set(recent.map((one) => one.teamId));
      if (recent.length >= LEAST.connections && teams.size >= LEAST.teams) return false;
      recent.push({ teamId, at });
      return true;
    },
  };
};
