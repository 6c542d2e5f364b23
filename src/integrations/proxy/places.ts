import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { callerGone } from '../../platform/index.ts';
import { tooManyProxied } from '../errors.ts';

export type PlaceLimits = {
  inTotal: number;
  perTeam: number;
  /** Bodies that are passed on while they arrive. Their caller decides how long that takes. */
  uploadsPerCaller: number;
};

type Taken = { teamId: string; userId: string; body: Buffer | Readable | null };

const ALL = '';

/** Counts what each owner has. */
const createCounts = (most: number) => {
  const counts = new Map<string, number>();
  return {
    isFull: (owner: string): boolean => (counts.get(owner) ?? 0) >= most,
    add: (owner: string): void => void counts.set(owner, (counts.get(owner) ?? 0) + 1),
    remove(owner: string): void {
      const left = (counts.get(owner) ?? 0) - 1;
      if (left > 0) counts.set(owner, left);
      else counts.delete(owner);
    },
  };
};

/** Limits how many requests are at providers at once. */
export const createPlaces = ({ inTotal, perTeam, uploadsPerCaller }: PlaceLimits) => {
  const all = createCounts(inTotal);
  const ofTeams = createCounts(perTeam);
  const uploads = createCounts(uploadsPerCaller);

  return {
    /** Takes a place until the response is closed. The signal aborts if the caller leaves before that. */
    take(response: ServerResponse, { teamId, userId, body }: Taken): AbortSignal {
      const isUpload = body instanceof Readable;
      // Whoever has left while they waited would never give their place back.
      if (response.closed || response.destroyed) throw callerGone();
      if (all.isFull(ALL) || ofTeams.isFull(teamId) || (isUpload && uploads.isFull(userId))) throw tooManyProxied();
      const gone = new AbortController();
      all.add(ALL);
      ofTeams.add(teamId);
      response.once('close', () => {
        all.remove(ALL);
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
