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

/** How many events of the log are looked at in one step. */
const STRETCH = 500;
/** How many endpoints with due retries are woken in one look. */
const DUE_AT_ONCE = 200;
const FIRST_DUE: DuePlace = { id: '', retryAt: 0 };
/** How often a sweep looks through all endpoints, in case one was left behind. */
const SWEEP_EVERY_MS = 30_000;
/** How many endpoints a sweep looks at in one step. */
const SWEPT = 100;
/**
 * If more feeds than this wait to read the log, a sweep wakes no others, because feeds with new events would wait
 * behind them.
 */
const MOST_WAITING = 32;

type WakerContext = Pick<EventsContext, 'database' | 'clock'> & {
  feeds: Pick<HeldFeeds, 'wake'>;
  countWaiting(): number;
  hasStopped(): boolean;
};

const isBehind = (endpoint: { isBehind: number }): boolean => endpoint.isBehind === 1;

/** Looks through all endpoints for those that were left behind, a few at a time. */
const createSweep = ({ database, clock, feeds, countWaiting, hasStopped }: WakerContext) => {
  let beganAt = Number.NEGATIVE_INFINITY;
  /** The last endpoint that the sweep looked at. Null between two sweeps. */
  let reached: string | null = null;

  const begin = async (): Promise<void> => {
    if (reached !== null || performance.now() - beganAt < SWEEP_EVERY_MS) return;
    beganAt = performance.now();
    await hastenFarRetries(database, clock.now());
    reached = '';
  };

  return {
    isUnderWay: (): boolean => reached !== null,
    /** Makes the next look begin a sweep. */
    expire(): void {
      beganAt = Number.NEGATIVE_INFINITY;
    },
    /** Forgets how far the last sweep got, so that the next look begins a new one. */
    restart(): void {
      beganAt = Number.NEGATIVE_INFINITY;
      reached = null;
    },
    /** Continues the sweep. If very many endpoints are behind, as after a start, the rest is left to the next look. */
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
  /** Endpoints that have changed since the last look. */
  const changed = new Set<string>();
  /** The position up to which this process has looked. The first sweep finds what is before. */
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
   * Wakes endpoints with due retries, continuing where the last look stopped. The first few may be due for days,
   * because their receivers are down.
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
