import type { JobCounts, TakenJob } from '../job-engine.ts';

/** Runs a query over pg-boss's own connections. */
export type Ask = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/**
 * Changes a job in the table of pg-boss. These functions do what pg-boss 12.35 has no call for: ask all queues at once,
 * retry after some milliseconds, fail with attempts left, return a job, count. Each change checks the same as pg-boss:
 * the state, and the retry count, which increases when a job is taken.
 */
export const changeRow = (ask: Ask, { name, id, attempt }: TakenJob, set: string, ...values: unknown[]) =>
  ask(
    `update pgboss.job set ${set}, heartbeat_on = null
      where name = $1 and id = $2 and retry_count = $3 and state = 'active'`,
    [name, id, attempt - 1, ...values],
  );

export const listDueQueues = async (ask: Ask, names: readonly string[]): Promise<string[]> => {
  const due = await ask<{ name: string }>(
    `select wanted.name from unnest($1::text[]) as wanted (name)
      cross join lateral (
            select 1 from pgboss.job
             where job.name = wanted.name and job.state < 'active' and not job.blocked and job.start_after <= now()
             order by job.start_after limit 1) due`,
    [names],
  );
  return due.map(({ name }) => name);
};

/** Renews the heartbeats of jobs that this process still holds. Returns the other jobs. */
export const touchRows = async (ask: Ask, jobs: readonly TakenJob[]): Promise<TakenJob[]> => {
  const renewed = await ask<{ id: string }>(
    `update pgboss.job set heartbeat_on = now()
       from unnest($1::text[], $2::uuid[], $3::int[]) as held (name, id, retry_count)
      where job.name = held.name and job.id = held.id and job.retry_count = held.retry_count and job.state = 'active'
  returning job.id`,
    [jobs.map(({ name }) => name), jobs.map(({ id }) => id), jobs.map(({ attempt }) => attempt - 1)],
  );
  const held = new Set(renewed.map(({ id }) => id));
  return jobs.filter(({ id }) => !held.has(id));
};

/** Finds the oldest job through the first one of each queue, because the index is by queue and then by time. */
const OLDEST = `select min(first.start_after) from pgboss.queue cross join lateral (
  select start_after from pgboss.job
   where job.name = queue.name and job.state < 'active' and not job.blocked order by job.start_after limit 1) first`;

const countWhere = (condition: string): string => `(select cast(count(*) as int) from pgboss.job where ${condition})`;

export const countRows = async (ask: Ask): Promise<JobCounts> => {
  const [counts] = await ask<JobCounts>(
    `select ${countWhere("state < 'active' and not blocked")} as queued, ${countWhere("state = 'active'")} as active,
            ${countWhere("state = 'failed'")} as failed,
            cast(extract(epoch from now() - (${OLDEST})) as float8) as "oldestSeconds"`,
  );
  const { oldestSeconds = null, ...numbers } = counts ?? { queued: 0, active: 0, failed: 0 };
  return { ...numbers, oldestSeconds: oldestSeconds !== null && oldestSeconds >= 0 ? oldestSeconds : null };
};
