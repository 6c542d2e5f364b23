import type { Endpoint } from '../endpoints/endpoint.ts';

/**
 * How far one part of the log has been sent to an endpoint. Several events are sent at once and may end in any order,
 * so only events before the first one that hasn't ended are known to be sent.
 */
export const createTrack = (start: number) => {
  let read = start;
  /** Positions of events that haven't ended, in the order of the log. */
  const open = new Set<number>();
  return {
    get read(): number {
      return read;
    },
    /** Everything up to `to` has been read. `positions` are the events to send. */
    advance(to: number, positions: readonly number[]): void {
      read = to;
      for (const position of positions) open.add(position);
    },
    end(position: number): void {
      open.delete(position);
    },
    /** The position up to which all events have ended, assuming that those in `ended` have, too. */
    toldIf(ended: ReadonlySet<number>): number {
      for (const position of open) if (!ended.has(position)) return position - 1;
      return read;
    },
  };
};

export type Track = ReturnType<typeof createTrack>;

/** The parts of the log that one endpoint gets: new events, and the replayed period, if any. */
export type FeedTracks = { main: Track; replay: Track | null };

/** Updates the tracks after an endpoint was read again. */
export const followEndpoint = (
  tracks: FeedTracks,
  { position, replayUntil, replayPosition }: Pick<Endpoint, 'position' | 'replayUntil' | 'replayPosition'>,
): void => {
  if (replayUntil !== null) tracks.replay ??= createTrack(replayPosition ?? 0);
  else tracks.replay = null;
  // The endpoint was turned off and on again. Skip the events in between.
  if (position > tracks.main.read) tracks.main = createTrack(position);
};
