import { setTimeout as sleep } from 'node:timers/promises';
import type { EventsContext } from '../context.ts';
import { type Endpoint, wantedTypes, wants } from '../endpoints/endpoint.ts';
import type { LogScope } from '../log/cursor.ts';
import { type Event, isErased } from '../log/event.ts';
import { findEvent, listEventsIn } from '../log/follow-log.ts';
import { getLogEnds } from '../log/log-store.ts';
import { type Attempt, isAccepted } from './attempt.ts';
import { createHeldEndpoint } from './held-endpoint.ts';
import { finishReplay } from './holding-store.ts';
import { createPace } from './pace.ts';
import { prepareEvent } from './prepare-event.ts';
import type { RequestTurn } from './request-turns.ts';
import { deleteRetries, listDueRetries, updateRetryAt } from './retry-store.ts';
import { sendEvent } from './send-event.ts';
import { createTrack, type Track } from './track.ts';

/** How many events are read for each request that is made at once. Few, because one may have 20 KB. */
const READ_AHEAD = 2;
/** How many results may wait to be stored. After a crash, so many are sent twice. */
const MOST_UNSTORED = 200;
/** A receiver that takes longer makes room for others. */
const PROMPT_MS = 500;

const UNREADABLE = { status: null, durationMs: 0, error: 'The event could not be opened.', retryAfterMs: null };

/** An event on its way. `track` is null if it's sent again. */
export type Item = { event: Event; readAt: number; attempts: number; track: Track | null };

export type FeedTracks = { main: Track; replay: Track | null };

/** What feeds share. */
export type FeedContext = EventsContext & {
  holder: string;
  /** Waits until there's room for another request. */
  takeTurn(teamId: string, isSteady: boolean): Promise<RequestTurn>;
  /** Only a few feeds read at once, however many are woken. */
  readInTurn<Result>(read: () => Promise<Result>): Promise<Result>;
  /** Resolves once the result is stored. */
  store(feed: { endpoint: Endpoint; tracks: FeedTracks }, item: Item, attempt: Attempt): Promise<void>;
};

const scopeOf = ({ teamId, forOperator }: Endpoint): LogScope => (forOperator ? null : { teamId });

/**
 * Everything one endpoint is sent: what happens, what it didn't accept, and what it's told again. It reads the log at
 * its own pace, so nobody waits for it, and it keeps only a few events in memory.
 */
export const createFeed = (context: FeedContext, first: Endpoint, onRest: () => void) => {
  const { database, clock, log, pause } = context;
  const pace = createPace(first.failingSince !== null);
  const tracks: FeedTracks = { main: createTrack(first.position), replay: null };
  /** Sent, or being sent, and not stored yet. */
  const underWay = new Set<string>();
  let openRequests = 0;
  /** Read, and not sent yet. What can't be sent yet stays here. */
  const waiting: Item[] = [];
  let hasEnded = false;
  let running: Promise<void> | null = null;
  let isWoken = false;
  /** Whether reading on would find more. */
  let hasMore = false;
  let whenFree = Promise.withResolvers<void>();
  const whenEnded = Promise.withResolvers<void>();

  const held = createHeldEndpoint(context, first, ({ replayUntil, replayPosition, position }) => {
    if (replayUntil !== null) tracks.replay ??= createTrack(replayPosition ?? 0);
    else tracks.replay = null;
    // Turned off and on again: what happened in between is left out.
    if (position > tracks.main.read) tracks.main = createTrack(position);
  });

  const readAhead = (): number => READ_AHEAD * pace.width;

  const readRetries = async (): Promise<Item[]> => {
    const items: Item[] = [];
    const now = clock.now();
    const endpoint = held.current;
    if (endpoint.retryAt === null || endpoint.retryAt > now) return items;
    // One whose result is stored while they are listed must not be sent again.
    const before = new Set(underWay);
    for (const { eventId, attempts } of await listDueRetries(database, endpoint.id, now, readAhead())) {
      if (before.has(eventId) || underWay.has(eventId)) continue;
      const event = await findEvent(context, scopeOf(endpoint), eventId);
      if (event && !isErased(event)) items.push({ event, readAt: performance.now(), attempts, track: null });
      else await database.transaction((tx) => deleteRetries(tx, [{ endpointId: endpoint.id, eventId }]));
    }
    hasMore ||= items.length > 0;
    if (items.length === 0 && underWay.size === 0) {
      await updateRetryAt(database, endpoint.id);
      held.outdate();
    }
    return items;
  };

  const readTrack = async (track: Track, upTo: number): Promise<Item[]> => {
    const items: Item[] = [];
    const endpoint = held.current;
    while (items.length === 0 && track.read < upTo) {
      const limit = readAhead();
      const range = { after: track.read, upTo, limit, types: wantedTypes(endpoint) };
      const found = await listEventsIn(context, scopeOf(endpoint), range);
      const wanted = found.filter((event) => wants(endpoint, event.type) && !isErased(event));
      hasMore ||= found.length === limit;
      const end = found.length < limit ? upTo : (found.at(-1)?.position ?? upTo);
      track.advance(
        end,
        wanted.map(({ position }) => position),
      );
      items.push(...wanted.map((event) => ({ event, readAt: performance.now(), attempts: 0, track })));
    }
    return items;
  };

  const readMore = async (): Promise<Item[]> => {
    hasMore = false;
    const { position: end } = await getLogEnds(database);
    const replay = tracks.replay ? await readTrack(tracks.replay, held.current.replayUntil ?? 0) : [];
    return [...(await readRetries()), ...(await readTrack(tracks.main, end)), ...replay];
  };

  /** Results end a replay when they're stored. One whose last part had nothing to send has none. */
  const endReplay = async (): Promise<void> => {
    const { replayUntil } = held.current;
    if (!tracks.replay || replayUntil === null || tracks.replay.toldIf(new Set()) < replayUntil) return;
    await finishReplay(database, held.current, context.holder);
    // The next one may begin before the endpoint is read again.
    tracks.replay = null;
    held.outdate();
  };

  const onFree = (): void => {
    whenFree.resolve();
    whenFree = Promise.withResolvers();
  };

  /** Takes the turn until the whole response is there. Null if there's nothing to send anymore. */
  const request = async (item: Item, turn: RequestTurn): Promise<Attempt | null> => {
    const late = setTimeout(turn.stepAside, PROMPT_MS).unref();
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(late);
      turn.end();
      openRequests--;
      onFree();
    };
    try {
      const prepared = await prepareEvent(context, scopeOf(held.current), item);
      if (typeof prepared === 'object')
        return await sendEvent(context, { id: first.id, ...held.destination }, prepared, close);
      close();
      // Others needn't wait for one that can't be opened: that's a failure like any other.
      return prepared === 'erased' ? null : { ...UNREADABLE, at: clock.now() };
    } catch (err) {
      close();
      throw err;
    }
  };

  const send = async (item: Item, turn: RequestTurn): Promise<void> => {
    const { event } = item;
    const attempt = await request(item, turn);
    if (!attempt) {
      item.track?.end(event.position);
      return;
    }
    if (isAccepted(attempt)) pace.onAccepted();
    else pace.onFailed();
    // Called off because the service stops. It's sent again after the next start.
    if (hasEnded && !isAccepted(attempt)) return;
    await context.store({ endpoint: held.current, tracks }, item, attempt);
    item.track?.end(event.position);
  };

  const start = (item: Item, turn: RequestTurn): void => {
    underWay.add(item.event.id);
    openRequests++;
    send(item, turn)
      .catch((err) => {
        log.warn({ err, endpoint: first.id }, 'an event could not be sent yet');
        pace.onFailed();
        // A retry is read again, because it's still due.
        if (item.track) waiting.push(item);
      })
      .finally(() => {
        underWay.delete(item.event.id);
        onFree();
      });
  };

  const isBusy = (): boolean => openRequests >= pace.width || underWay.size >= MOST_UNSTORED;

  /** Waits until the receiver may get one more, and it's the request's turn. Null if the feed has ended meanwhile. */
  const takeTurn = async (): Promise<RequestTurn | null> => {
    if (pace.breakMs > 0) await Promise.race([sleep(pace.breakMs, undefined, { ref: false }), whenEnded.promise]);
    while (isBusy() && !hasEnded) await whenFree.promise;
    if (hasEnded) return null;
    const turn = await context.takeTurn(first.teamId, pace.isSteady);
    let isOurs = false;
    try {
      isOurs = !hasEnded && !(await pause.read()) && (await held.refresh());
      return isOurs ? turn : null;
    } finally {
      if (!isOurs) turn.end();
    }
  };

  /** What is to be sent next. Null if the endpoint is no longer ours, or the feed has ended. */
  const read = async (): Promise<Item[] | null> => {
    if (hasEnded || !(await held.refresh())) return null;
    // What is left from before comes first: it isn't read again.
    return waiting.length > 0 ? waiting : readMore();
  };

  const work = async (): Promise<void> => {
    while (!hasEnded) {
      isWoken = false;
      const found = await context.readInTurn(read);
      hasEnded ||= found === null;
      if (!found || hasEnded) return;
      // What couldn't be sent while others were being read is still there.
      if (found !== waiting) waiting.push(...found);
      if (waiting.length === 0 && underWay.size === 0) {
        await endReplay();
        if (!isWoken) return;
      }
      while (waiting.length > 0 && !hasEnded) {
        const turn = await takeTurn();
        const item = waiting.shift();
        if (turn && item) start(item, turn);
        else hasEnded = true;
      }
      while (underWay.size > 0 && waiting.length === 0 && !isWoken && !hasEnded && (isBusy() || !hasMore))
        await whenFree.promise;
    }
  };

  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (err) {
      log.warn(
        { err, endpoint: first.id },
        'events are waiting: the database is unavailable, or a key cannot be opened',
      );
    }
    running = null;
    onRest();
  };

  return {
    id: first.id,
    get isIdle(): boolean {
      return running === null;
    },
    /** Up to where everything has been told, or wasn't wanted. */
    get toldUpTo(): number {
      return tracks.main.toldIf(new Set());
    },
    get hasEnded(): boolean {
      return hasEnded;
    },
    /** There may be something to send, or the endpoint has changed. */
    wake(): void {
      isWoken = true;
      running ??= run();
      // What is new doesn't wait for the response to something else.
      onFree();
    },
    outdate: held.outdate,
    whenIdle: (): Promise<void> => running ?? Promise.resolve(),
    /** Resolves once nothing is under way anymore. */
    async end(): Promise<void> {
      hasEnded = true;
      whenEnded.resolve();
      onFree();
      await running;
      while (underWay.size > 0) await whenFree.promise;
    },
  };
};

export type Feed = ReturnType<typeof createFeed>;
