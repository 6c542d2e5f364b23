import { wasBelieved } from '../believed-clock.ts';
import type { JobsContext } from '../context.ts';
import { DEAD_KEPT_MS } from '../job-engine.ts';
import { createPgBossCarrier } from './pg-boss-jobs.ts';
import { type Correction, pullBack } from './pull-back.ts';
import { given, type QueueSql, queueSqlOf } from './queue-sql.ts';

/** How many jobs one statement changes. */
const STEP = 100;

/** The minimum time between two checks of the table, so that a worker doesn't check again after each job. */
const LOOK_EVERY_MS = 20;

/** Jobs' times aren't corrected if the clock is set back by less than this, as time synchronization often does. */
const MOMENT_MS = 1_000;

const describeStatements = ({ now, row, skipLocked, through }: QueueSql) => {
  const due = `from jobs ${through('jobs_by_state')}
    where state = 'queued' and ready = 0 and run_at <= ${now} order by state, ready, run_at`;
  const expired = `from jobs ${through('jobs_dead')}
    where state = 'dead' and died_at < ${now} - ${DEAD_KEPT_MS} order by died_at`;
  const first = (which: string): string =>
    `, first as materialized (select ${row} as place ${which} limit ${STEP} ${skipLocked})`;
  return {
    look: `select (select 1 ${due} limit 1) as due, (select 1 ${expired} limit 1) as expired`,
    markReady: `${first(due)} update jobs set ready = 1 where ${row} in (select place from first)`,
    deleteExpired: `${first(expired)} delete from jobs where ${row} in (select place from first)`,
  };
};

/**
 * Does what the passing of time requires: marks due jobs as ready, deletes old failed jobs, corrects times after the
 * clock was set back, and carries over the jobs of an earlier version. One call does a step of each, and returns
 * whether there is more to do.
 */
export const createUpkeep = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>) => {
  const { look, markReady, deleteExpired } = describeStatements(queueSqlOf(database.engine));
  const carryOver = createPgBossCarrier(database);
  const hasOwnTime = database.engine === 'sqlite';
  let lastLook = Number.POSITIVE_INFINITY;
  let lookAgainAt = 0;
  /** The correction in progress. It reads all jobs, so it's only done at the start and after the clock was set back. */
  let correcting: Correction | null = null;
  let hasMore = false;

  return async (): Promise<boolean> => {
    const now = clock.now();
    const hasJustLooked = now >= lastLook && now < lastLook + LOOK_EVERY_MS && performance.now() < lookAgainAt;
    if (hasJustLooked && !hasMore) return false;
    if (hasOwnTime && now < lastLook - MOMENT_MS) correcting = { now, after: 0 };
    lastLook = now;
    lookAgainAt = performance.now() + LOOK_EVERY_MS;
    correcting &&= await pullBack(database, correcting);
    const hasMoreToCarry = await carryOver();
    const values = given({ now });
    const [found] = await database.allFrom<{ due: number | null; expired: number | null }>(values, look);
    const marked = found?.due ? await database.runFrom(values, markReady) : 0;
    const mayDelete = found?.expired && (await wasBelieved({ database }, now));
    const deleted = mayDelete ? await database.runFrom(values, deleteExpired) : 0;
    hasMore = hasMoreToCarry || correcting !== null || marked === STEP || deleted === STEP;
    return hasMore;
  };
};
