import { setTimeout as sleep } from 'node:timers/promises';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { createFeedReader, type Item } from './feed-reader.ts';
import { createFeedRequests, type RequestsContext } from './feed-requests.ts';
import { createHeldEndpoint } from './held-endpoint.ts';
import { createPace } from './pace.ts';
import type { RequestTurn } from './request-turns.ts';
import { createTrack, type FeedTracks, followEndpoint } from './track.ts';

/** The context that all feeds share. */
export type FeedContext = EventsContext &
  RequestsContext & {
    holder: string;
    /** Waits until the limits allow another request. */
    takeTurn(teamId: string, isSteady: boolean): Promise<RequestTurn>;
    /** Runs a read as soon as the limit allows it, because only a few feeds may read at once. */
    readInTurn<Result>(read: () => Promise<Result>): Promise<Result>;
  };

/**
 * Sends everything to one endpoint: new events, retries, and replayed events. Reads the log at the endpoint's own
 * speed, so that no other endpoint waits for it, and keeps only a few events in memory.
 */
export const createFeed = (context: FeedContext, first: Endpoint, onRest: () => void) => {
  const { log, pause } = context;
  const { id, teamId } = first;
  const ending = new AbortController();
  const pace = createPace(first.failingSince !== null);
  const tracks: FeedTracks = { main: createTrack(first.position), replay: null };
  const held = createHeldEndpoint(context, first, (endpoint) => followEndpoint(tracks, endpoint));
  /** Events that were read, but not sent yet, and events that were given back because they couldn't be sent. */
  const waiting: Item[] = [];
  const giveBack = (item: Item): void => void waiting.push(item);
  const requests = createFeedRequests(context, { held, tracks, pace, ending: ending.signal, giveBack });
  const { underWay, isBusy, whenChanged } = requests;
  const reader = createFeedReader(context, { held, tracks, pace, underWay });
  let running: Promise<void> | null = null;
  let isWoken = false;

  const hasEnded = (): boolean => ending.signal.aborted;

  /** Waits until the receiver can take one more request and the limits allow it. Null if the feed has ended. */
  const takeTurn = async (): Promise<RequestTurn | null> => {
    const resting = { ref: false, signal: ending.signal };
    if (pace.breakMs > 0) await sleep(pace.breakMs, undefined, resting).catch(() => undefined);
    while (isBusy() && !hasEnded()) await whenChanged();
    if (hasEnded()) return null;
    const turn = await context.takeTurn(teamId, pace.isSteady);
    let isOurs = false;
    try {
      isOurs = !hasEnded() && !(await pause.read()) && (await held.refresh());
      return isOurs ? turn : null;
    } finally {
      if (!isOurs) turn.end();
    }
  };

  /** Reads the next events to send. Ends the feed if this process no longer holds the endpoint. */
  const readNext = async (): Promise<void> => {
    if (hasEnded() || !(await held.refresh())) return ending.abort();
    // Send events that are left from the last read before reading more.
    if (waiting.length === 0) waiting.push(...(await reader.read()));
  };

  const sendWaiting = async (): Promise<void> => {
    while (waiting.length > 0 && !hasEnded()) {
      const turn = await takeTurn();
      const item = waiting.shift();
      if (turn && item) requests.start(item, turn);
      else ending.abort();
    }
  };

  /** Whether the feed can do nothing until a response arrives or something wakes it. */
  const mustWait = (): boolean =>
    underWay.size > 0 && waiting.length === 0 && !isWoken && !hasEnded() && (isBusy() || !reader.hasMore);

  const work = async (): Promise<void> => {
    while (!hasEnded()) {
      isWoken = false;
      await context.readInTurn(readNext);
      if (hasEnded()) return;
      if (waiting.length === 0 && underWay.size === 0) {
        await reader.endReplay();
        if (!isWoken) return;
      }
      await sendWaiting();
      while (mustWait()) await whenChanged();
    }
  };

  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (err) {
      log.warn({ err, endpoint: id }, 'events are waiting: the database is unavailable, or a key cannot be opened');
    }
    running = null;
    onRest();
  };

  return {
    id,
    get isIdle(): boolean {
      return running === null;
    },
    /** The position up to which every event was sent, or wasn't wanted. */
    get toldUpTo(): number {
      return tracks.main.toldIf(new Set());
    },
    get hasEnded(): boolean {
      return hasEnded();
    },
    /** Wakes the feed, because there may be something to send, or the endpoint has changed. */
    wake(): void {
      isWoken = true;
      running ??= run();
      // If the feed is waiting for a response, let it send new events meanwhile.
      requests.announceChange();
    },
    outdate: held.outdate,
    whenIdle: (): Promise<void> => running ?? Promise.resolve(),
    /** Ends the feed. Resolves when no request is in progress. */
    async end(): Promise<void> {
      ending.abort();
      requests.announceChange();
      await running;
      while (underWay.size > 0) await whenChanged();
    },
  };
};

export type Feed = ReturnType<typeof createFeed>;
