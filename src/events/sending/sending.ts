import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTurns, OWN, SENDING, type Transaction, workFor } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { LIMITS } from '../limits.ts';
import { numberEvents } from '../log/number-events.ts';
import type { FeedContext } from './feed.ts';
import { createHeldFeeds } from './held-feeds.ts';
import { releaseAll } from './holding-store.ts';
import { createEndpointTurns } from './request-turns.ts';
import { createResultWriter } from './result-writer.ts';
import { createFeedWaker } from './wake-feeds.ts';

/** How often a process looks for what others have recorded. Its own events wake it at once. */
const LOOK_EVERY_MS = 250;
/** What is recorded within this time of a look is found by the next one, so that a busy service looks less often. */
const GATHER_MS = 10;

type SendingContext = EventsContext & {
  onDeactivated(tx: Transaction, endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void>;
};

/**
 * Sends events to their endpoints, each at its own pace. One process at a time holds an endpoint, and recording an event
 * works the same in every process.
 */
export const createSending = (context: SendingContext) => {
  const { database, log, pause } = context;
  const writer = createResultWriter(context);
  const reads = createTurns(LIMITS.reads);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isWoken = false;
  let isStopped = false;
  let hasBegun = false;

  const readInTurn: FeedContext['readInTurn'] = async (read) => {
    const result = await reads.run({ owner: OWN }, read);
    if (reads.waiting === 0 && waker.sweep.isUnderWay()) wake();
    return result;
  };
  const shared = { holder: randomUUID(), takeTurn: createEndpointTurns(), readInTurn, store: writer.store };
  const feeds = createHeldFeeds({ ...context, ...shared });
  const waker = createFeedWaker({
    ...context,
    feeds,
    countWaiting: () => reads.waiting,
    hasStopped: () => isStopped,
  });

  /** After a pause, it looks through all: some may have been left behind. */
  const isPaused = async (): Promise<boolean> => {
    if (!(await pause.read())) return false;
    waker.sweep.expire();
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
      await feeds.keep();
      await numberEvents(context);
      await waker.wake();
      await feeds.releaseIdle();
    } while (isWoken && !isStopped);
  };

  const lookOnce = (): Promise<void> => {
    // A look is this service's own work, not the work of the team that recorded something.
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
        feeds.outdate(id);
        waker.onChanged(id);
      }
      wake();
    },
    start(): void {
      timer ??= setInterval(() => void lookOnce(), LOOK_EVERY_MS).unref();
      void lookOnce();
    },
    /** One look, until nothing is under way anymore: for tests and commands. */
    async sendAll(): Promise<void> {
      for (const feed of feeds.list()) feed.outdate();
      waker.sweep.restart();
      await lookOnce();
      while (waker.sweep.isUnderWay() || feeds.list().some((feed) => !feed.isIdle)) {
        await Promise.all(feeds.list().map((feed) => feed.whenIdle()));
        if (waker.sweep.isUnderWay()) await lookOnce();
      }
    },
    /** Receivers that haven't responded by then get the event again after the next start. */
    async stop({ drainMs = 0 } = {}): Promise<void> {
      isStopped = true;
      feeds.stopHolding();
      clearInterval(timer);
      await looking;
      const ending = feeds.end();
      await Promise.race([ending, sleep(drainMs, undefined, { ref: false })]);
      await context.forwarder.close();
      writer.stopTrying();
      await ending;
      await writer.close();
      await feeds.releaseAll().catch(() => undefined);
    },
  };
};
