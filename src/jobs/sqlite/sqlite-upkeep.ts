import { wasBelieved } from '../believed-clock.ts';
import type { JobsContext } from '../context.ts';
import { DEAD_KEPT_MS } from '../job-engine.ts';

/** How many jobs one statement reads or changes. */
const STEP = 100;

/** The least time between two looks, so that a worker doesn't look after every single job. */
const LOOK_EVERY_MS = 20;

/** A smaller step back is an ordinary correction of the clock. */
const MOMENT_MS = 1_000;

const LOOK = `select
  exists (select 1 from jobs indexed by jobs_by_state where state = 'queued' and ready = 0 and run_at <= $1) as due,
  exists (select 1 from jobs indexed by jobs_dead where state = 'dead' and died_at < $2) as expired`;

const MARK_READY = `update jobs set ready = 1 where rowid in (
  select rowid from jobs indexed by jobs_by_state
   where state = 'queued' and ready = 0 and run_at <= $1 order by run_at limit ${STEP})`;

const DELETE_EXPIRED = `delete from jobs where rowid in (
  select rowid from jobs indexed by jobs_dead where state = 'dead' and died_at < $1 limit ${STEP})`;

/** The latest known time at which a queued job was written. */
const WRITTEN_AT = 'max(created_at, coalesce(taken_at, 0))';

/** Matches jobs that were written while the clock was ahead, or that were only due because of it. */
const AHEAD = `state = 'queued' and run_at > $1 and (ready = 1 or ${WRITTEN_AT} > $1)`;

const LIST_AHEAD = `select count(*) as size, max(row) as last, json_group_array(row) filter (where ahead) as rows
  from (select rowid as row, ${AHEAD} as ahead from jobs where rowid > $2 order by rowid limit ${STEP})`;

/** Corrects the jobs that match `AHEAD`: they wait as long as they were meant to, counted from now. */
const PULL_BACK = `update jobs set ready = 0, run_at = run_at - max(0, ${WRITTEN_AT} - $1),
    created_at = min(created_at, $1), taken_at = min(taken_at, $1)
  where rowid in (select value from json_each($2)) and ${AHEAD}`;

/**
 * Does what the passing of time requires: marks due jobs as ready, deletes old failed jobs, and corrects times after
 * the clock was set back. One call does a step of each, and returns whether there is more to do.
 */
export const createSqliteUpkeep = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>) => {
  let lastLook = Number.POSITIVE_INFINITY;
  /**
   * How far the correction has come. It reads all jobs, so it only runs at the start and after the clock was set back.
   */
  let correcting: { now: number; after: number } | null = null;

  const correct = async ({ now, after }: { now: number; after: number }): Promise<boolean> => {
    const page = await database.get<{ size: number; last: number | null; rows: string }>(LIST_AHEAD, [now, after]);
    const { size = 0, last = null, rows = '[]' } = page ?? {};
    if (rows !== '[]') await database.run(PULL_BACK, [now, rows]);
    correcting = size < STEP || last === null ? null : { now, after: last };
    return correcting !== null;
  };

  let hasMore = false;

  return async (): Promise<boolean> => {
    const now = clock.now();
    if (!hasMore && now >= lastLook && now < lastLook + LOOK_EVERY_MS) return false;
    if (now < lastLook - MOMENT_MS) correcting = { now, after: 0 };
    lastLook = now;
    const isCorrecting = correcting !== null && (await correct(correcting));
    const keptFrom = now - DEAD_KEPT_MS;
    const found = await database.get<{ due: number; expired: number }>(LOOK, [now, keptFrom]);
    const marked = found?.due ? await database.run(MARK_READY, [now]) : 0;
    const mayDelete = found?.expired && (await wasBelieved({ database }, now));
    const deleted = mayDelete ? await database.run(DELETE_EXPIRED, [keptFrom]) : 0;
    hasMore = isCorrecting || marked === STEP || deleted === STEP;
    return hasMore;
  };
};
