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

/** How often a process checks for events that other processes have recorded. For its own events, it checks at once. */
const LOOK_EVERY_MS = 250;
/** The least time between two checks. Events that are recorded in between are handled together. */
const GATHER_MS = 10;

type SendingContext = EventsContext & {
  onDeactivated(tx: Transaction, endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void>;
};

/**
 * Sends events to their endpoints, each at its own speed. Every process can record events, but only one at a time holds
 * an endpoint and sends to it.
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

  /** Whether the service is paused. If so, the first check after the pause goes through all endpoints. */
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
    // Run this as the service's own work, and not as work of the team that happened to record something.
    looking ??= workFor(SENDING, look)
      .catch((err) => log.debug({ err }, 'events are waiting: the database is unavailable'))
      .finally(() => {
        looking = null;
      });
    return looking;
  };

  /** Checks for new events at once, because something was recorded. Does nothing before `start`. */
  const wake = (): void => {
    isWoken = true;
    if (timer) void lookOnce();
  };

  return {
    wake,
    /** Called when these endpoints have changed. */
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
    /** For tests and commands: checks once, and waits until nothing is being sent anymore. */
    async sendAll(): Promise<void> {
      for (const feed of feeds.list()) feed.outdate();
      waker.sweep.restart();
      await lookOnce();
      while (waker.sweep.isUnderWay() || feeds.list().some((feed) => !feed.isIdle)) {
        await Promise.all(feeds.list().map((feed) => feed.whenIdle()));
        if (waker.sweep.isUnderWay()) await lookOnce();
      }
    },
    /** Stops sending. A receiver that hasn't responded within `drainMs` gets the event again after the next start. */
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
