import type { Endpoint } from '../endpoints/endpoint.ts';

/**
 * How far one part of the log has been sent to an endpoint. Events are sent side by side, so they end in any order; what
 * counts as told is everything before the first that hasn't ended.
 */
export const createTrack = (start: number) => {
  let read = start;
  /** In the order of the log, as they were read. */
  const open = new Set<number>();
  return {
    get read(): number {
      return read;
    },
    /** Everything up to here has been read; these positions are to be sent. */
    advance(to: number, positions: readonly number[]): void {
      read = to;
      for (const position of positions) open.add(position);
    },
    end(position: number): void {
      open.delete(position);
    },
    /** Up to where everything has ended, if these have, too. */
    toldIf(ended: ReadonlySet<number>): number {
      for (const position of open) if (!ended.has(position)) return position - 1;
      return read;
    },
  };
};

export type Track = ReturnType<typeof createTrack>;

/** The parts of the log that one endpoint is sent: what is new, and the period that is replayed, if one is. */
export type FeedTracks = { main: Track; replay: Track | null };

/** Adapts the tracks to an endpoint that was read again. */
export const followEndpoint = (
  tracks: FeedTracks,
  { position, replayUntil, replayPosition }: Pick<Endpoint, 'position' | 'replayUntil' | 'replayPosition'>,
): void => {
  if (replayUntil !== null) tracks.replay ??= createTrack(replayPosition ?? 0);
  else tracks.replay = null;
  // Turned off and on again: what happened in between is left out.
  if (position > tracks.main.read) tracks.main = createTrack(position);
};
