import type { Queries, Value } from '../../platform/index.ts';
import type { JobsContext } from '../context.ts';
import {
  DEAD_KEPT_MS,
  type FreeSlots,
  type JobCounts,
  type JobEngine,
  PROCESS_ENDED,
  type TakenJob,
} from '../job-engine.ts';
import { createSqliteDeadJobs } from './sqlite-dead-jobs.ts';

/** One statement for all queues: the first due jobs of each, as many as it has free slots. */
const takeText = (queues: readonly FreeSlots[]): string => {
  const due = queues.map(
    (_, index) =>
      `select id from (select id from jobs where name = $${2 * index + 2} and state = 'queued' and run_at <= $1
                        order by behind, run_at, id limit $${2 * index + 3})`,
  );
  return `update jobs set state = 'active', attempts = attempts + 1, taken_at = $1
           where id in (${due.join(' union all ')})
       returning id, name, payload, attempts as attempt, attempts_allowed as "attemptsAllowed"`;
};

/** How many are looked at in one turn. */
const PAGE = 500;

const HELD = "id = $1 and attempts = $2 and state = 'active'";

/** Only if the job is still held. */
const change = (queries: Queries, { id, attempt }: TakenJob, set: string, ...values: Value[]): Promise<number> =>
  queries.run(`update jobs set ${set} where ${HELD}`, [id, attempt, ...values]);

/** Clocks are corrected by this much all the time. */
const MOMENT_MS = 1_000;

/** When a waiting job was last written, at least. */
const WRITTEN_AT = 'max(created_at, coalesce(taken_at, 0))';

/** Jobs that were queued while the clock was ahead wait as long as they were meant to, counted from now. */
const PULL_BACK = `update jobs
  set run_at = $1 + max(0, run_at - ${WRITTEN_AT}), created_at = min(created_at, $1), taken_at = min(taken_at, $1)
  where state = 'queued' and run_at > $1 and ${WRITTEN_AT} > $1`;

/**
 * The embedded queue is a table. Only one process serves a data directory (it holds the lock), so a job that is active
 * when it starts was left behind by the previous one, and there is no need for heartbeats.
 */
export const createSqliteEngine = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): JobEngine => {
  let lastLook = Number.POSITIVE_INFINITY;

  /** Looks at all jobs, so only at the start and after the clock was set back for more than a moment. */
  const pullBackAfterJump = async (now: number): Promise<void> => {
    if (now < lastLook - MOMENT_MS) await database.run(PULL_BACK, [now]);
    lastLook = now;
  };

  return {
    async enqueue(tx, { id, definition, payload, key, delayMs, behind }) {
      const now = clock.now();
      const added = await tx.run(
        `insert into jobs (id, name, payload, unique_key, state, attempts, attempts_allowed, created_at, run_at, behind)
       values ($1, $2, $3, $4, 'queued', 0, $5, $6, $7, $8) on conflict do nothing`,
        [id, definition.name, JSON.stringify(payload), key, definition.attempts, now, now + delayMs, behind],
      );
      return added === 1 ? 'queued' : 'duplicate';
    },

    begin: () =>
      database.transaction(async (tx) => {
        const values = [clock.now(), PROCESS_ENDED];
        await tx.run(
          "update jobs set state = 'dead', died_at = $1, last_error = $2 where state = 'active' and attempts >= attempts_allowed",
          values,
        );
        await tx.run("update jobs set state = 'queued', run_at = $1, last_error = $2 where state = 'active'", values);
      }),

    async *take(free) {
      const values = free.flatMap(({ name, slots }) => [name, slots]);
      const now = clock.now();
      await pullBackAfterJump(now);
      const rows = await database.all<TakenJob & { payload: string }>(takeText(free), [now, ...values]);
      for (const row of rows) yield { ...row, payload: JSON.parse(row.payload) };
    },

    complete: ({ id, attempt }) => database.run(`delete from jobs where ${HELD}`, [id, attempt]),

    retry: (job, delayMs, error) =>
      change(database, job, "state = 'queued', run_at = $3, last_error = $4", clock.now() + delayMs, error),

    bury: (job, error) =>
      database.transaction(async (tx) => {
        const now = clock.now();
        await change(tx, job, "state = 'dead', died_at = $3, last_error = $4", now, error);
        await tx.run("delete from jobs where state = 'dead' and died_at < $1", [now - DEAD_KEPT_MS]);
      }),

    release: (job) => change(database, job, "state = 'queued', attempts = attempts - 1, taken_at = null"),

    async forget(field, value) {
      const listAfter = (id: string) =>
        database.all<{ id: string; payload: string }>(
          "select id, payload from jobs where id > $1 and state <> 'active' order by id limit $2",
          [id, PAGE],
        );
      for (let page = await listAfter(''); page.length > 0; page = await listAfter(page.at(-1)?.id ?? ''))
        for (const { id, payload } of page)
          if (JSON.parse(payload)[field] === value)
            await database.run("delete from jobs where id = $1 and state <> 'active'", [id]);
    },

    heartbeat: null,

    dead: createSqliteDeadJobs({ database, clock }),

    async count() {
      const row = await database.get<Omit<JobCounts, 'oldestSeconds'> & { oldest: number | null }>(
        `select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'active') as active,
              count(*) filter (where state = 'dead') as failed,
              min(run_at) filter (where state = 'queued' and run_at <= $1) as oldest
         from jobs`,
        [clock.now()],
      );
      const { queued = 0, active = 0, failed = 0, oldest = null } = row ?? {};
      return { queued, active, failed, oldestSeconds: oldest === null ? null : (clock.now() - oldest) / 1_000 };
    },

    close: async () => undefined,
  };
};
