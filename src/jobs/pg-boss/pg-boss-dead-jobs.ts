import { type DeadJob, type DeadJobs, PROCESS_ENDED } from '../job-engine.ts';
import type { Ask } from './pg-boss-rows.ts';

type DeadRow = Omit<DeadJob, 'lastError'> & { ours: string | null; pgboss: string | null };

/** Finds the last error. pg-boss only sets its own reason when it took a job from a process that stopped responding. */
const toDeadJob = ({ ours, pgboss, ...row }: DeadRow): DeadJob => ({
  ...row,
  lastError: ours ?? (pgboss === null ? null : PROCESS_ENDED),
});

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Reads and changes failed jobs in the table of pg-boss, which has no call to list them or to reset their attempts. */
export const createPgBossDeadJobs = (ask: Ask): DeadJobs => ({
  async list(limit) {
    const rows = await ask<DeadRow>(
      `select id, name, data as payload, retry_count + 1 as attempts, output ->> 'message' as ours,
              output -> 'value' ->> 'message' as pgboss,
              cast(floor(extract(epoch from created_on) * 1000) as float8) as "createdAt",
              cast(floor(extract(epoch from completed_on) * 1000) as float8) as "diedAt"
         from pgboss.job where state = 'failed' order by completed_on desc, id desc limit $1`,
      [limit],
    );
    return rows.map(toDeadJob);
  },

  async *listIds() {
    const rows = await ask<{ id: string }>(
      "select id from pgboss.job where state = 'failed' order by completed_on, id",
    );
    yield* rows.map(({ id }) => id);
  },

  async retry(id) {
    if (!UUID.test(id)) return false;
    const revived = await ask(
      `update pgboss.job set state = 'created', retry_count = 0, started_on = null, completed_on = null, output = null,
              start_after = now(), keep_until = now() + (keep_until - start_after)
        where name = any (array(select queue.name from pgboss.queue)) and id = $1 and state = 'failed' and not exists (
              select 1 from pgboss.job other
               where other.name = job.name and coalesce(other.singleton_key, '') = job.singleton_key
                 and other.state <= 'active' and other.policy = 'exclusive')
    returning id`,
      [id],
    );
    return revived.length === 1;
  },
});
