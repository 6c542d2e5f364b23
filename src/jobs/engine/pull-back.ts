import type { Database } from '../../platform/index.ts';

/** How many jobs one statement reads. */
const STEP = 100;

/** The latest known time at which a queued job was written. */
const WRITTEN_AT = 'max(created_at, coalesce(taken_at, 0))';

/** Matches jobs that were written while the clock was ahead, or that became due only because of that. */
const AHEAD = `state = 'queued' and run_at > $1 and (ready = 1 or ${WRITTEN_AT} > $1)`;

const LIST_AHEAD = `select count(*) as size, max(row) as last, json_group_array(row) filter (where ahead) as rows
  from (select rowid as row, ${AHEAD} as ahead from jobs where rowid > $2 order by rowid limit ${STEP})`;

const PULL_BACK = `update jobs set ready = 0, run_at = run_at - max(0, ${WRITTEN_AT} - $1),
    created_at = min(created_at, $1), taken_at = min(taken_at, $1)
  where rowid in (select value from json_each($2)) and ${AHEAD}`;

/** How far the correction has come. */
export type Correction = { now: number; after: number };

/**
 * Corrects the times of jobs after the clock was set back: they wait as long as they were meant to, counted from now.
 * Does one step, and returns where the next one begins. Only for SQLite, where times come from this process's clock.
 */
export const pullBack = async (database: Database, { now, after }: Correction): Promise<Correction | null> => {
  const page = await database.get<{ size: number; last: number | null; rows: string }>(LIST_AHEAD, [now, after]);
  const { size = 0, last = null, rows = '[]' } = page ?? {};
  if (rows !== '[]') await database.run(PULL_BACK, [now, rows]);
  return size < STEP || last === null ? null : { now, after: last };
};
