import type { Clock, Database } from '../platform/index.ts';
import type { DeadJob, DeadJobs } from './job-engine.ts';

type DeadRow = {
  id: string;
  name: string;
  payload: string;
  attempts: number;
  last_error: string | null;
  created_at: number;
  died_at: number;
};

const toDeadJob = ({ id, name, payload, attempts, last_error, created_at, died_at }: DeadRow): DeadJob => ({
  id,
  name,
  payload: JSON.parse(payload),
  attempts,
  lastError: last_error,
  createdAt: created_at,
  diedAt: died_at,
});

export const createSqliteDeadJobs = ({ database, clock }: { database: Database; clock: Clock }): DeadJobs => ({
  async list(limit) {
    const rows = await database.all<DeadRow>(
      `select id, name, payload, attempts, last_error, created_at, died_at from jobs
        where state = 'dead' order by died_at desc, id desc limit $1`,
      [limit],
    );
    return rows.map(toDeadJob);
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
