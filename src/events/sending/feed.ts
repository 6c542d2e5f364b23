import { setTimeout as sleep } from 'node:timers/promises';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { createFeedReader, type Item } from './feed-reader.ts';
import { createFeedRequests, type RequestsContext } from './feed-requests.ts';
import { createHeldEndpoint } from './held-endpoint.ts';
import { createPace } from './pace.ts';
import type { RequestTurn } from './request-turns.ts';
import { createTrack, type FeedTracks, followEndpoint } from './track.ts';

/** What feeds share. */
export type FeedContext = EventsContext &
  RequestsContext & {
    holder: string;
    /** Waits until there's room for another request. */
    takeTurn(teamId: string, isSteady: boolean): Promise<RequestTurn>;
    /** Only a few feeds read at once, however many are woken. */
    readInTurn<Result>(read: () => Promise<Result>): Promise<Result>;
  };

/**
 * Everything one endpoint is sent: what happens, what it didn't accept, and what it's told again. It reads the log at
 * its own pace, so nobody waits for it, and it keeps only a few events in memory.
 */
export const createFeed = (context: FeedContext, first: Endpoint, onRest: () => void) => {
  const { log, pause } = context;
  const { id, teamId } = first;
  const ending = new AbortController();
  const pace = createPace(first.failingSince !== null);
  const tracks: FeedTracks = { main: createTrack(first.position), replay: null };
  const held = createHeldEndpoint(context, first, (endpoint) => followEndpoint(tracks, endpoint));
  /** Read, and not sent yet. What can't be sent yet stays here. */
  const waiting: Item[] = [];
  const giveBack = (item: Item): void => void waiting.push(item);
  const requests = createFeedRequests(context, { held, tracks, pace, ending: ending.signal, giveBack });
  const { underWay, isBusy, whenChanged } = requests;
  const reader = createFeedReader(context, { held, tracks, pace, underWay });
  let running: Promise<void> | null = null;
  let isWoken = false;

  const hasEnded = (): boolean => ending.signal.aborted;

  /** Waits until the receiver may get one more, and it's the request's turn. Null if the feed has ended meanwhile. */
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

  /** Adds what is to be sent next. Ends the feed if the endpoint is no longer ours. */
  const readNext = async (): Promise<void> => {
    if (hasEnded() || !(await held.refresh())) return ending.abort();
    // What is left from before comes first: it isn't read again.
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

  /** Whether there is nothing to do until a response comes, or the feed is woken. */
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
    /** Up to where everything has been told, or wasn't wanted. */
    get toldUpTo(): number {
      return tracks.main.toldIf(new Set());
    },
    get hasEnded(): boolean {
      return hasEnded();
    },
    /** There may be something to send, or the endpoint has changed. */
    wake(): void {
      isWoken = true;
      running ??= run();
      // What is new doesn't wait for the response to something else.
      requests.announceChange();
    },
    outdate: held.outdate,
    whenIdle: (): Promise<void> => running ?? Promise.resolve(),
    /** Resolves once nothing is under way anymore. */
    async end(): Promise<void> {
      ending.abort();
      requests.announceChange();
      await running;
      while (underWay.size > 0) await whenChanged();
    },
  };
};

export type Feed = ReturnType<typeof createFeed>;
