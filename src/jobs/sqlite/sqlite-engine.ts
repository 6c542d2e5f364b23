import type { Queries, Value } from '../../platform/index.ts';
import type { JobsContext } from '../context.ts';
import { type FreeQueue, type JobEngine, PROCESS_ENDED, type TakenJob } from '../job-engine.ts';
import { countSqliteJobs } from './sqlite-counts.ts';
import { createSqliteDeadJobs } from './sqlite-dead-jobs.ts';
import { createSqliteUpkeep } from './sqlite-upkeep.ts';

const LIST_READY = `select value as name from json_each($1) where exists (
  select 1 from jobs indexed by jobs_ready where name = value and state = 'queued' and ready = 1)`;

/** Takes the first ready jobs of each queue, as many as it has room for, in one statement. */
const takeText = (queues: readonly FreeQueue[]): string => {
  const first = queues.map(
    (_, index) =>
      `select rowid from (select rowid from jobs indexed by jobs_ready
                           where name = $${2 * index + 2} and state = 'queued' and ready = 1
                           order by behind, run_at, rowid limit $${2 * index + 3})`,
  );
  return `update jobs set state = 'active', attempts = attempts + 1, taken_at = $1
           where rowid in (${first.join(' union all ')})
       returning id, name, payload, attempts as attempt, attempts_allowed as "attemptsAllowed"`;
};

/** How many jobs one statement reads. */
const PAGE = 200;

const HELD = "id = $1 and attempts = $2 and state = 'active'";

/** Changes a job, but only if this attempt still holds it. */
const change = (queries: Queries, { id, attempt }: TakenJob, set: string, ...values: Value[]): Promise<number> =>
  queries.run(`update jobs set ${set} where ${HELD}`, [id, attempt, ...values]);

/**
 * The embedded queue, which is a table. Only one process serves a data directory (it holds the lock). So a job that is
 * active when the process starts was left behind by the previous one, and there is no need for heartbeats.
 *
 * A queued job is `ready` from the moment it's due. However many jobs wait, run, or have failed, a statement here reads
 * only a limited number of rows, through the index that it names.
 */
export const createSqliteEngine = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): JobEngine => ({
  async enqueue(tx, { id, definition, payload, key, delayMs, behind }) {
    const now = clock.now();
    const added = await tx.run(
      `insert into jobs (id, name, payload, unique_key, state, attempts, attempts_allowed, created_at, run_at, behind, ready)
       values ($1, $2, $3, $4, 'queued', 0, $5, $6, $7, $8, $9) on conflict do nothing`,
      [
        id,
        definition.name,
        JSON.stringify(payload),
        key,
        definition.attempts,
        now,
        now + delayMs,
        behind,
        delayMs <= 0,
      ],
    );
    return added === 1 ? 'queued' : 'duplicate';
  },

  begin: () =>
    database.transaction(async (tx) => {
      const values = [clock.now(), PROCESS_ENDED];
      await tx.run(
        `update jobs indexed by jobs_by_state set state = 'dead', died_at = $1, last_error = $2
          where state = 'active' and attempts >= attempts_allowed`,
        values,
      );
      await tx.run(
        `update jobs indexed by jobs_by_state set state = 'queued', ready = 1, run_at = $1, last_error = $2
          where state = 'active'`,
        values,
      );
    }),

  upkeep: createSqliteUpkeep({ database, clock }),

  async *take(free) {
    const names = JSON.stringify(free.map(({ name }) => name));
    const found = new Set((await database.all<{ name: string }>(LIST_READY, [names])).map(({ name }) => name));
    const queues = free.filter(({ name }) => found.has(name));
    if (queues.length === 0) return;
    const values = queues.flatMap(({ name, room }) => [name, room]);
    const rows = await database.all<TakenJob & { payload: string }>(takeText(queues), [clock.now(), ...values]);
    for (const row of rows) yield { ...row, payload: JSON.parse(row.payload) };
  },

  complete: ({ id, attempt }) => database.run(`delete from jobs where ${HELD}`, [id, attempt]),

  retry: (job, delayMs, error) =>
    change(
      database,
      job,
      "state = 'queued', run_at = $3, ready = $4, last_error = $5",
      clock.now() + delayMs,
      delayMs <= 0,
      error,
    ),

  bury: (job, error) => change(database, job, "state = 'dead', died_at = $3, last_error = $4", clock.now(), error),

  release: (job) => change(database, job, "state = 'queued', attempts = attempts - 1, taken_at = null"),

  async forget(field, value) {
    const listAfter = (id: string) =>
      database.all<{ id: string; payload: string }>(
        "select id, payload from jobs where id > $1 and state <> 'active' order by id limit $2",
        [id, PAGE],
      );
    for (let page = await listAfter(''); page.length > 0; page = await listAfter(page.at(-1)?.id ?? '')) {
      const rows = page.filter(({ payload }) => JSON.parse(payload)[field] === value).map(({ id }) => [id]);
      if (rows.length > 0)
        await database.runFrom(
          { columns: { id: 'text' }, rows },
          "delete from jobs where id in (select id from rows) and state <> 'active'",
        );
    }
  },

  heartbeat: null,

  dead: createSqliteDeadJobs({ database, clock }),

  count: () => countSqliteJobs(database, clock.now()),

  close: async () => undefined,
});
