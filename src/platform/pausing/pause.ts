import { toIso } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Log } from '../log.ts';
import { Refusal } from '../refusal.ts';
import { within } from '../running/within.ts';
import { OWN, workFor } from '../turns/owner.ts';
import { type Paused, readPaused, setPaused } from './pause-store.ts';

/** How long the state is cached. Another process, such as a command, may change it. */
const FRESH_MS = 1_000;
/** How long to wait for a database that doesn't respond. */
const MOST_WAIT_MS = 1_000;
const RETRY_AFTER_SECONDS = '60';

export const PAUSED_ADVICE = 'Once no other copy of it is running, run "npm run patchbay -- resume".';

const servicePaused = (): Refusal =>
  new Refusal(
    503,
    'service.paused',
    `The service is paused: it shows everything, but doesn't contact providers or send anything. An operator can end this. ${PAUSED_ADVICE}`,
    { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
  );

/** Tells whether the service is paused. All code that contacts another service asks first. */
export type Pause = {
  /** Returns null if the service isn't paused. */
  read(): Promise<Paused | null>;
  /**
   * Throws `service.paused` if the service is paused. For work that would leave something behind if it failed halfway.
   */
  check(): Promise<void>;
  /** Sets or ends the pause. This process notices at once, others within seconds. */
  set(queries: Queries, paused: Paused | null): Promise<void>;
};

type Known = { paused: Paused | null; at: number };

/**
 * Reads the database at most once a second, however often it's asked. If the database is unavailable or slow, the last
 * known state holds. Logs when this process notices a pause or its end.
 */
export const createPause = ({ database, log }: { database: Database; log: Log }): Pause => {
  let known: Known | null = null;
  let looking: Promise<Paused | null> | null = null;

  const logChange = (before: Paused | null, paused: Paused | null): void => {
    if (paused && !before)
      log.warn({ since: toIso(paused.at), reason: paused.reason }, 'the service is paused and contacts nobody');
    if (before && !paused) log.info({ since: toIso(before.at) }, 'the service is no longer paused');
  };

  const look = async (): Promise<Paused | null> => {
    try {
      const paused = await workFor(OWN, () => readPaused(database));
      logChange(known?.paused ?? null, paused);
      known = { paused, at: performance.now() };
      return paused;
    } catch (error) {
      if (!known) throw error;
      return known.paused;
    } finally {
      looking = null;
    }
  };

  /** Uses the last known state for another second, so that later callers don't wait for the same slow read. */
  const renew = (last: Known): Paused | null => {
    last.at = performance.now();
    return last.paused;
  };

  const read = async (): Promise<Paused | null> => {
    if (known && performance.now() - known.at < FRESH_MS) return known.paused;
    looking ??= look();
    const last = known;
    if (!last) return looking;
    return within(MOST_WAIT_MS, looking, { onLate: () => renew(known ?? last), excuseStalls: true });
  };

  return {
    read,
    async check() {
      if (await read()) throw servicePaused();
    },
    async set(queries, paused) {
      await setPaused(queries, paused);
      known = { paused, at: performance.now() };
    },
  };
};
