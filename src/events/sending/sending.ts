import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTurns, OWN, SENDING, type Transaction, workFor } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { LIMITS } from '../limits.ts';
import { getLogEnds } from '../log/log-store.ts';
import { numberEvents } from '../log/number-events.ts';
import { createFeed, type Feed, type FeedContext } from './feed.ts';
import {
  type DuePlace,
  HOLD_MS,
  holdEndpoints,
  keepHolding,
  listEndpointsAfter,
  listEndpointsDue,
  listEndpointsToTell,
  listOperatorEndpoints,
  releaseAll,
  releaseEndpoints,
} from './holding-store.ts';
import { createRequestTurns } from './request-turns.ts';
import { createResultWriter } from './result-writer.ts';
import { hastenFarRetries } from './retry-store.ts';

/** How often a process looks for what others have recorded. Its own events wake it at once. */
const LOOK_EVERY_MS = 250;
/** What is recorded within this time of a look is found by the next one, so that a busy service looks less often. */
const GATHER_MS = 10;
/** How often it looks through all endpoints, in case one was left behind. */
const SWEEP_EVERY_MS = 30_000;
/** How many endpoints are read or written in one step. */
const PIECE = 200;
const FIRST_DUE: DuePlace = { id: '', retryAt: 0 };
/** How much of the log is looked at in one step. */
const STRETCH = 500;
/** An endpoint to which nothing is sent for this long is left to whichever process needs it next. */
const IDLE_MS = 10_000;

/** While more feeds wait to read the log, no more are woken by looking through all: those with news would be behind them. */
const MOST_WAITING = 32;
/** How many endpoints it then looks at in one step. */
const SWEPT = 100;

type SendingContext = EventsContext & {
  onDeactivated(tx: Transaction, endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void>;
};

const inPieces = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / PIECE) }, (_, index) =>
    items.slice(index * PIECE, (index + 1) * PIECE),
  );

/**
 * Sends events to their endpoints, each at its own pace. An endpoint is held by one process at a time; whoever records
 * an event needn't know by which.
 */
export const createSending = (context: SendingContext) => {
  const { database, clock, log, pause } = context;
  const holder = randomUUID();
  const writer = createResultWriter(context);
  const reads = createTurns(LIMITS.reads);
  const readInTurn: FeedContext['readInTurn'] = async (read) => {
    const result = await reads.run({ owner: OWN }, read);
    if (reads.waiting === 0 && sweptUpTo !== null) wake();
    return result;
  };
  const shared = { holder, takeTurn: createRequestTurns(), readInTurn, store: writer.store };
  const feedContext: FeedContext = { ...context, ...shared };
  const feeds = new Map<string, { feed: Feed; restingSince: number }>();
  /** Since the last look. */
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isWoken = false;
  let isStopped = false;
  let hasBegun = false;
  /** How far this process has looked. The first sweep finds what is before. */
  let seen: number | null = null;
  let lastDue = FIRST_DUE;
  let sweptAt = Number.NEGATIVE_INFINITY;
  /** How far it has looked through all endpoints. Null if it's through. */
  let sweptUpTo: string | null = null;
  let heldAt = Number.NEGATIVE_INFINITY;

  const addFeed = (endpoint: Endpoint): Feed => {
    const { id } = endpoint;
    const entry = { feed: createFeed(feedContext, endpoint, () => onRest()), restingSince: performance.now() };
    const onRest = (): void => {
      entry.restingSince = performance.now();
      if (entry.feed.hasEnded) feeds.delete(id);
    };
    feeds.set(id, entry);
    return entry.feed;
  };

  const tell = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) feeds.get(id)?.feed.wake();
    for (const piece of inPieces(ids.filter((id) => !feeds.has(id)))) {
      if (isStopped) return;
      for (const endpoint of await holdEndpoints(database, piece, holder, clock.now())) addFeed(endpoint).wake();
    }
  };

  const tellNew = async (): Promise<void> => {
    const { position: end } = await getLogEnds(database);
    seen ??= end;
    if (seen < end) await tell(await listOperatorEndpoints(database));
    while (seen < end) {
      const upTo = Math.min(end, seen + STRETCH);
      await tell(await listEndpointsToTell(database, { after: seen, upTo }));
      seen = upTo;
    }
  };

  const tellChanged = async (): Promise<void> => {
    const ids = [...changed];
    changed.clear();
    await tell(ids);
  };

  /** Not the first few each time: those may be due for days, because their receivers are down. */
  const tellDue = async (): Promise<void> => {
    const due = await listEndpointsDue(database, clock.now(), lastDue, PIECE);
    lastDue = due.length < PIECE ? FIRST_DUE : (due.at(-1) ?? FIRST_DUE);
    await tell(due.map(({ id }) => id));
  };

  const beginSweep = async (): Promise<void> => {
    if (sweptUpTo !== null || performance.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = performance.now();
    await hastenFarRetries(database, clock.now());
    sweptUpTo = '';
  };

  /** Goes on with the next look if very many are behind, such as after a start. */
  const sweep = async (): Promise<void> => {
    await beginSweep();
    while (sweptUpTo !== null && reads.waiting < MOST_WAITING && !isStopped) {
      const page: { id: string; isBehind: number }[] = await listEndpointsAfter(database, sweptUpTo, SWEPT);
      await tell(page.filter(({ isBehind }) => isBehind === 1).map(({ id }) => id));
      sweptUpTo = page.length < SWEPT ? null : (page.at(-1)?.id ?? null);
    }
  };

  const keepHolds = async (): Promise<void> => {
    if (performance.now() - heldAt < HOLD_MS / 3) return;
    heldAt = performance.now();
    for (const ids of inPieces([...feeds.keys()])) await keepHolding(database, ids, holder, clock.now());
  };

  const release = async (ended: readonly Feed[]): Promise<void> => {
    for (const feed of ended) feeds.delete(feed.id);
    for (const piece of inPieces(ended))
      await releaseEndpoints(
        database,
        piece.map(({ id, toldUpTo }) => ({ id, position: toldUpTo })),
        holder,
      );
  };

  const releaseIdle = async (): Promise<void> => {
    const idleSince = performance.now() - IDLE_MS;
    const idle = [...feeds.values()].filter(({ feed, restingSince }) => feed.isIdle && restingSince <= idleSince);
    await release(idle.map(({ feed }) => feed));
  };

  /** After a pause, it looks through all: some may have been left behind. */
  const isPaused = async (): Promise<boolean> => {
    if (!(await pause.read())) return false;
    sweptAt = Number.NEGATIVE_INFINITY;
    return true;
  };

  const look = async (): Promise<void> => {
    if (await isPaused()) return;
    do {
      const sinceMs = performance.now() - lookedAt;
      if (sinceMs < GATHER_MS) await sleep(GATHER_MS - sinceMs);
      lookedAt = performance.now();
      isWoken = false;
      if (!hasBegun && database.engine === 'sqlite') await releaseAll(database);
      hasBegun = true;
      await keepHolds();
      await numberEvents(context);
      await tellNew();
      await tellChanged();
      await tellDue();
      await sweep();
      await releaseIdle();
    } while (isWoken && !isStopped);
  };

  const lookOnce = (): Promise<void> => {
    // Whoever recorded something has nothing to do with the rest.
    looking ??= workFor(SENDING, look)
      .catch((err) => log.debug({ err }, 'events are waiting: the database is unavailable'))
      .finally(() => {
        looking = null;
      });
    return looking;
  };

  /** Something was recorded. Does nothing before `start`. */
  const wake = (): void => {
    isWoken = true;
    if (timer) void lookOnce();
  };

  return {
    wake,
    /** These endpoints have changed. */
    refresh(ids: readonly string[]): void {
      for (const id of ids) {
        feeds.get(id)?.feed.outdate();
        changed.add(id);
      }
      wake();
    },
    start(): void {
      timer ??= setInterval(() => void lookOnce(), LOOK_EVERY_MS).unref();
      void lookOnce();
    },
    /** One look, until nothing is under way anymore: for tests and commands. */
    async sendAll(): Promise<void> {
      for (const { feed } of feeds.values()) feed.outdate();
      sweptAt = Number.NEGATIVE_INFINITY;
      sweptUpTo = null;
      await lookOnce();
      while (sweptUpTo !== null || [...feeds.values()].some(({ feed }) => !feed.isIdle)) {
        await Promise.all([...feeds.values()].map(({ feed }) => feed.whenIdle()));
        if (sweptUpTo !== null) await lookOnce();
      }
    },
    /** Whoever hasn't responded by then gets it again after the next start. */
    async stop({ drainMs = 0 } = {}): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await looking;
      const ending = Promise.all([...feeds.values()].map(({ feed }) => feed.end()));
      await Promise.race([ending, sleep(drainMs, undefined, { ref: false })]);
      await context.forwarder.close();
      writer.stopTrying();
      await ending;
      await writer.close();
      await release([...feeds.values()].map(({ feed }) => feed)).catch(() => undefined);
    },
  };
};
