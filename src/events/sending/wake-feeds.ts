import { hastenFarRetries } from '../attempts/retry-store.ts';
import type { EventsContext } from '../context.ts';
import { getLogEnds } from '../log/log-store.ts';
import type { HeldFeeds } from './held-feeds.ts';
import {
  type DuePlace,
  listEndpointsAfter,
  listEndpointsDue,
  listEndpointsToTell,
  listOperatorEndpoints,
} from './wake-store.ts';

/** How many events of the log are read in one query. */
const STRETCH = 500;
/** How many endpoints with due retries are woken in one check. */
const DUE_AT_ONCE = 200;
const FIRST_DUE: DuePlace = { id: '', retryAt: 0 };
/** How often all endpoints are checked (a sweep), in case one has events to send and nothing woke it. */
const SWEEP_EVERY_MS = 30_000;
/** How many endpoints a sweep reads in one query. */
const SWEPT = 100;
/**
 * If more feeds than this are waiting to read the log, a sweep wakes no more. Otherwise, feeds with new events have to
 * wait behind those that the sweep woke.
 */
const MOST_WAITING = 32;

type WakerContext = Pick<EventsContext, 'database' | 'clock'> & {
  feeds: Pick<HeldFeeds, 'wake'>;
  countWaiting(): number;
  hasStopped(): boolean;
};

const isBehind = (endpoint: { isBehind: number }): boolean => endpoint.isBehind === 1;

/** Checks all endpoints for events that weren't sent, a few endpoints at a time. */
const createSweep = ({ database, clock, feeds, countWaiting, hasStopped }: WakerContext) => {
  let beganAt = Number.NEGATIVE_INFINITY;
  /** The last endpoint that the sweep has checked. Null between two sweeps. */
  let reached: string | null = null;

  const begin = async (): Promise<void> => {
    if (reached !== null || performance.now() - beganAt < SWEEP_EVERY_MS) return;
    beganAt = performance.now();
    await hastenFarRetries(database, clock.now());
    reached = '';
  };

  return {
    isUnderWay: (): boolean => reached !== null,
    /** Makes the next check begin a sweep of all endpoints. */
    expire(): void {
      beganAt = Number.NEGATIVE_INFINITY;
    },
    /** Gives up the current sweep, so that the next check begins a new one. */
    restart(): void {
      beganAt = Number.NEGATIVE_INFINITY;
      reached = null;
    },
    /** Continues the sweep. If too many feeds are waiting, as after a start, leaves the rest to the next check. */
    async advance(): Promise<void> {
      await begin();
      while (reached !== null && countWaiting() < MOST_WAITING && !hasStopped()) {
        const page: { id: string; isBehind: number }[] = await listEndpointsAfter(database, reached, SWEPT);
        await feeds.wake(page.filter(isBehind).map(({ id }) => id));
        reached = page.length < SWEPT ? null : (page.at(-1)?.id ?? null);
      }
    },
  };
};

/** Finds endpoints with something to send, and wakes their feeds. */
export const createFeedWaker = (context: WakerContext) => {
  const { database, clock, feeds } = context;
  const sweep = createSweep(context);
  /** Endpoints that were changed since the last check. */
  const changed = new Set<string>();
  /** The position up to which this process has read the log. The first sweep finds events from before the start. */
  let seen: number | null = null;
  let lastDue = FIRST_DUE;

  const wakeNew = async (): Promise<void> => {
    const { position: end } = await getLogEnds(database);
    seen ??= end;
    if (seen < end) await feeds.wake(await listOperatorEndpoints(database));
    while (seen < end) {
      const upTo = Math.min(end, seen + STRETCH);
      await feeds.wake(await listEndpointsToTell(database, { after: seen, upTo }));
      seen = upTo;
    }
  };

  const wakeChanged = async (): Promise<void> => {
    const ids = [...changed];
    changed.clear();
    await feeds.wake(ids);
  };

  /**
   * Wakes endpoints with due retries. Continues where the last check stopped, because the first ones in this order may
   * stay due for days: their receivers are down.
   */
  const wakeDue = async (): Promise<void> => {
    const due = await listEndpointsDue(database, clock.now(), lastDue, DUE_AT_ONCE);
    lastDue = due.length < DUE_AT_ONCE ? FIRST_DUE : (due.at(-1) ?? FIRST_DUE);
    await feeds.wake(due.map(({ id }) => id));
  };

  return {
    sweep,
    onChanged: (id: string): void => void changed.add(id),
    async wake(): Promise<void> {
      await wakeNew();
      await wakeChanged();
      await wakeDue();
      await sweep.advance();
    },
  };
};
