import type { JobsContext } from '../context.ts';
import type { DeadJob, DeadJobs } from '../job-engine.ts';

const PAGE = 200;

type Place = { died_at: number; row: number };
const START: Place = { died_at: 0, row: 0 };

export const createSqliteDeadJobs = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): DeadJobs => ({
  async list(limit) {
    const rows = await database.all<DeadJob & { payload: string }>(
      `select id, name, payload, attempts, last_error as "lastError", created_at as "createdAt", died_at as "diedAt"
         from jobs indexed by jobs_dead where state = 'dead' order by died_at desc, rowid desc limit $1`,
      [limit],
    );
    return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
  },

  /** Leaves out jobs that fail again meanwhile. */
  async *listIds() {
    const now = clock.now();
    const listAfter = ({ died_at, row }: Place) =>
      database.all<Place & { id: string }>(
        `select id, died_at, rowid as "row" from jobs indexed by jobs_dead
          where state = 'dead' and (died_at, rowid) > ($1, $2) and died_at <= $3 order by died_at, rowid limit $4`,
        [died_at, row, now, PAGE],
      );
    for (let page = await listAfter(START); page.length > 0; page = await listAfter(page.at(-1) ?? START))
      yield* page.map(({ id }) => id);
  },

  async retry(id) {
    const revived = await database.run(
      `update jobs set state = 'queued', ready = 1, attempts = 0, run_at = $2, taken_at = null, died_at = null, last_error = null
        where id = $1 and state = 'dead' and not exists (
              select 1 from jobs other
               where other.name = jobs.name and other.unique_key = jobs.unique_key and other.state <> 'dead')`,
      [id, clock.now()],
    );
    return revived === 1;
  },
});
