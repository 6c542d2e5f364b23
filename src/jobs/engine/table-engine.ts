import type { JobsContext } from '../context.ts';
import type { JobEngine, TakenJob } from '../job-engine.ts';
import { countJobs } from './counts.ts';
import { createDeadJobs } from './dead-jobs.ts';
import { createHeartbeat } from './heartbeat.ts';
import { given, type QueueSql, queueSqlOf } from './queue-sql.ts';
import { createUpkeep } from './upkeep.ts';

const ENQUEUE = ({ now }: QueueSql): string => `insert into jobs
    (id, name, payload, unique_key, state, attempts, attempts_allowed, created_at, run_at, behind, ready)
  select id, name, payload, unique_key, 'queued', 0, attempts_allowed, ${now}, ${now} + delay_ms, behind,
         case when delay_ms <= 0 then 1 else 0 end
    from rows where true on conflict do nothing`;

const LIST_READY = ({ through }: QueueSql): string => `select name from rows where (
  select 1 from jobs ${through('jobs_ready')}
   where jobs.name = rows.name and state = 'queued' and ready = 1 order by jobs.name, behind, run_at limit 1) is not null`;

/** Takes the first ready jobs of a queue. The limit is part of the text, so that PostgreSQL knows it when it plans. */
const TAKE = ({ now, row, skipLocked, through }: QueueSql, room: number): string => `, first as materialized (
    select ${row} as place from jobs ${through('jobs_ready')}
     where name = (select name from rows) and state = 'queued' and ready = 1
     order by behind, run_at, ${row} limit ${room} ${skipLocked})
  update jobs set state = 'active', attempts = attempts + 1, taken_at = ${now}, heartbeat_at = ${now}
   where ${row} in (select place from first)
  returning id, name, payload, attempts as attempt, attempts_allowed as "attemptsAllowed"`;

/** How many jobs one statement reads. */
const PAGE = 200;

/** The condition that this attempt still holds the job. */
const HELD = "id = (select id from rows) and attempts = (select attempt from rows) and state = 'active'";

/**
 * The queue, which is a table. Once a queued job is due, it's marked as `ready`. However many jobs wait, run, or have
 * failed, a statement here reads only a limited number of rows, through an index.
 *
 * On SQLite, only one process serves a data directory (it holds the lock). So a job that is active when the process
 * starts was left behind by the previous one. On PostgreSQL, heartbeats show which jobs were left behind.
 */
export const createTableEngine = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): JobEngine => {
  const sql = queueSqlOf(database.engine);
  const { now } = sql;
  const enqueueText = ENQUEUE(sql);
  const listReadyText = LIST_READY(sql);
  const heartbeat = createHeartbeat({ database, clock });

  const change = ({ id, attempt }: TakenJob, set: string, values: Record<string, string | number> = {}) =>
    database.runFrom(given({ id, attempt, ...values, now: clock.now() }), `update jobs set ${set} where ${HELD}`);

  return {
    async enqueue(tx, { id, definition: { name, attempts }, payload, key, delayMs, behind }) {
      const values = {
        id,
        name,
        payload: JSON.stringify(payload),
        unique_key: key,
        attempts_allowed: attempts,
        delay_ms: Math.ceil(delayMs),
        behind,
        now: clock.now(),
      };
      return (await tx.runFrom(given(values), enqueueText)) === 1 ? 'queued' : 'duplicate';
    },

    begin: heartbeat.begin,

    upkeep: createUpkeep({ database, clock }),

    async *take(free) {
      const table = { columns: { name: 'text' }, rows: free.map(({ name }) => [name]) } as const;
      const found = await database.allFrom<{ name: string }>(table, listReadyText);
      const names = new Set(found.map(({ name }) => name));
      for (const { name, room } of free.filter((queue) => names.has(queue.name))) {
        const rows = await database.allFrom<TakenJob & { payload: string }>(
          given({ name, now: clock.now() }),
          TAKE(sql, room),
        );
        for (const row of rows) yield { ...row, payload: JSON.parse(row.payload) };
      }
    },

    complete: ({ id, attempt }) => database.runFrom(given({ id, attempt }), `delete from jobs where ${HELD}`),

    retry: (job, delayMs, error) =>
      change(
        job,
        `state = 'queued', run_at = ${now} + (select delay_ms from rows), last_error = (select error from rows),
         ready = (select case when delay_ms <= 0 then 1 else 0 end from rows)`,
        { delay_ms: Math.ceil(delayMs), error },
      ),

    bury: (job, error) =>
      change(job, `state = 'dead', died_at = ${now}, last_error = (select error from rows)`, { error }),

    release: (job) => change(job, "state = 'queued', attempts = attempts - 1, taken_at = null"),

    async forget(field, value) {
      const listAfter = (id: string) =>
        database.allFrom<{ id: string; payload: string }>(
          given({ id }),
          `select id, payload from jobs where id > (select id from rows) and state <> 'active' order by id limit ${PAGE}`,
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

    heartbeat: heartbeat.beat,

    dead: createDeadJobs({ database, clock }),

    count: () => countJobs({ database, clock }),
  };
};
