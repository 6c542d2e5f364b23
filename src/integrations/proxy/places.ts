import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { callerGone, readOpenFileLimit } from '../../platform/index.ts';
import { tooManyProxied } from './errors.ts';

type PlaceLimits = {
  inTotal: number;
  /**
   * The maximum number of bodies per caller that are passed on while they arrive. The caller decides how long that
   * takes.
   */
  uploadsPerCaller: number;
};

/** How many requests may be in progress at providers at once. Each of them takes up to two open files. */
const IN_TOTAL = Math.min(2_000, Math.floor(readOpenFileLimit() / 8));
export const MOST_PLACES: PlaceLimits = { inTotal: IN_TOTAL, uploadsPerCaller: Math.ceil(IN_TOTAL / 16) };

type Taken = { teamId: string; userId: string; body: Buffer | Readable | null };

/**
 * A place is for one request that is in progress at a provider. A team gets another place only while more than three
 * times as many places are free as the team has. So the first team can take about a quarter of all places, the next
 * team a quarter of the rest, and so on, which leaves places for more teams.
 */
const SHARE_OF_FREE = 3;

/** Counts how many places each owner has. */
const createCounts = () => {
  const counts = new Map<string, number>();
  return {
    of: (owner: string): number => counts.get(owner) ?? 0,
    add: (owner: string): void => void counts.set(owner, (counts.get(owner) ?? 0) + 1),
    remove(owner: string): void {
      const left = (counts.get(owner) ?? 0) - 1;
      if (left > 0) counts.set(owner, left);
      else counts.delete(owner);
    },
  };
};

/** Limits how many requests are in progress at providers at once. */
export const createPlaces = ({ inTotal, uploadsPerCaller }: PlaceLimits) => {
  const ofTeams = createCounts();
  const uploads = createCounts();
  let free = inTotal;

  const hasShare = (teamId: string): boolean => ofTeams.of(teamId) * SHARE_OF_FREE < free;

  return {
    /** Takes a place until the response is closed. The signal aborts if the caller leaves before that. */
    take(response: ServerResponse, { teamId, userId, body }: Taken): AbortSignal {
      const isUpload = body instanceof Readable;
      // If the caller has already left, `close` won't be emitted again, so the place would never become free.
      if (response.closed || response.destroyed) throw callerGone();
      if (!hasShare(teamId) || (isUpload && uploads.of(userId) >= uploadsPerCaller)) throw tooManyProxied();
      const gone = new AbortController();
      free--;
      ofTeams.add(teamId);
      response.once('close', () => {
        free++;
        ofTeams.remove(teamId);
        if (!response.writableFinished) gone.abort();
      });
      if (isUpload) {
        uploads.add(userId);
        body.once('close', () => uploads.remove(userId));
      }
      return gone.signal;
    },
  };
};

export type Places = ReturnType<typeof createPlaces>;
