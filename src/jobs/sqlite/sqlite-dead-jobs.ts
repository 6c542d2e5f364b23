import type { JobsContext } from '../context.ts';
import type { DeadJob, DeadJobs } from '../job-engine.ts';

export const createSqliteDeadJobs = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): DeadJobs => ({
  async list(limit) {
    const rows = await database.all<DeadJob & { payload: string }>(
      `select id, name, payload, attempts, last_error as "lastError", created_at as "createdAt", died_at as "diedAt"
         from jobs where state = 'dead' order by died_at desc, id desc limit $1`,
      [limit],
    );
    return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
  },

  async listIds() {
    const rows = await database.all<{ id: string }>("select id from jobs where state = 'dead' order by died_at, id");
    return rows.map(({ id }) => id);
  },

  async retry(id) {
    const revived = await database.run(
      `update jobs set state = 'queued', attempts = 0, run_at = $2, taken_at = null, died_at = null, last_error = null
        where id = $1 and state = 'dead' and not exists (
              select 1 from jobs other
               where other.name = jobs.name and other.unique_key = jobs.unique_key and other.state <> 'dead')`,
      [id, clock.now()],
    );
    return revived === 1;
  },
});
