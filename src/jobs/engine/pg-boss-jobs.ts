import type { Database } from '../../platform/index.ts';
import { PROCESS_ENDED } from '../job-engine.ts';

const toMs = (column: string): string => `cast(round(extract(epoch from ${column}) * 1000) as bigint)`;

const COLUMNS =
  'id, name, payload, unique_key, state, attempts, attempts_allowed, created_at, run_at, taken_at, died_at, last_error, behind';

/** Only Patchbay's jobs have all of these values. Another program may use pg-boss in the same database. */
const OURS = "policy = 'exclusive' and heartbeat_seconds = 10 and deletion_seconds = 2592000";

/**
 * Reads jobs as earlier versions kept them on PostgreSQL, with pg-boss 12.35. Its retry count leaves out the
 * first attempt, so one is added if that has ended. A running job is read as if this attempt had never begun.
 */
const readFrom = (table: string): string => `select cast(id as text) as id, name, cast(data as text) as payload,
       nullif(singleton_key, cast(id as text)) as unique_key,
       case state when 'failed' then 'dead' else 'queued' end as state,
       cast(retry_count + case when state <> 'active' and started_on is not null then 1 else 0 end as bigint) as attempts,
       cast(retry_limit + 1 as bigint) as attempts_allowed, ${toMs('created_on')} as created_at,
       ${toMs('start_after')} as run_at, case state when 'active' then null else ${toMs('started_on')} end as taken_at,
       case state when 'failed' then ${toMs('completed_on')} end as died_at,
       coalesce(output ->> 'message', case when output -> 'value' ->> 'message' is not null then '${PROCESS_ENDED}' end)
         as last_error,
       cast(-priority as bigint) as behind
  from ${table} where state in ('created', 'retry', 'active', 'failed') and ${OURS}`;

export const FROM_PG_BOSS = readFrom('pgboss.job');

/** Whether there are tables like those of pg-boss 12.35 that this role may use. */
export const HAS_PG_BOSS = `select 1 from information_schema.columns
  where table_schema = 'pgboss' and table_name = 'job' and column_name = 'heartbeat_seconds'`;

/** How many jobs one statement carries over. */
const STEP = 500;

const EVERY_MS = 3_000;

/** Does what pg-boss did for a job whose process had ended. */
const END_SILENT = `update pgboss.job
    set state = cast(case when retry_count < retry_limit then 'retry' else 'failed' end as pgboss.job_state),
        start_after = now(), completed_on = case when retry_count < retry_limit then null else now() end,
        heartbeat_on = null, output = jsonb_build_object('message', '${PROCESS_ENDED}')
  where state = 'active' and coalesce(heartbeat_on, started_on) < now() - interval '10 s' and ${OURS}`;

/** Moves jobs from pg-boss's table to ours. A waiting job stays there while another job in ours has its key. */
const CARRY = `with next as materialized (
    select job.* from pgboss.job
     where state in ('created', 'retry', 'failed') and ${OURS} and (state = 'failed' or not exists (
           select 1 from jobs where jobs.name = job.name and jobs.unique_key = job.singleton_key
              and jobs.unique_key is not null and jobs.state <> 'dead'))
     limit ${STEP} for update skip locked),
  added as (
    insert into jobs (${COLUMNS}) select ${COLUMNS} from (${readFrom('next')}) earlier
        on conflict do nothing returning name, id)
  delete from pgboss.job using added where job.name = added.name and job.id = cast(added.id as uuid)`;

/**
 * Carries over the jobs of an earlier version. The statement that adds a job also deletes it from the old table, so
 * several processes can do this at once. Processes of that version may still be running and adding jobs, so this
 * continues every three seconds, unless the database has no such table. Each call carries over up to `STEP` jobs, and
 * returns whether there may be more.
 */
export const createPgBossCarrier = (database: Database) => {
  let mayHaveJobs = database.engine === 'postgresql';
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<boolean> => {
    if (!mayHaveJobs || performance.now() < nextAt) return false;
    mayHaveJobs = (await database.get(HAS_PG_BOSS)) !== undefined;
    if (!mayHaveJobs) return false;
    await database.run(END_SILENT);
    const hasMore = (await database.run(CARRY)) === STEP;
    if (!hasMore) nextAt = performance.now() + EVERY_MS;
    return hasMore;
  };
};
