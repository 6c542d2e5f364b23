import type { ScannedRow, Snapshot, Table } from '../platform/index.ts';
import { PROCESS_ENDED } from './job-engine.ts';

const COLUMNS = {
  id: 'text',
  name: 'text',
  payload: 'text',
  unique_key: 'text',
  state: 'text',
  attempts: 'bigint',
  attempts_allowed: 'bigint',
  created_at: 'bigint',
  run_at: 'bigint',
  taken_at: 'bigint',
  died_at: 'bigint',
  last_error: 'text',
  behind: 'bigint',
} as const;

const NAMES = Object.keys(COLUMNS);
const PAYLOAD_AT = NAMES.indexOf('payload');

/**
 * The queue in a form that both engines have. A running job is archived as a waiting one, as if it had never been
 * taken.
 */
export const ARCHIVED_JOBS: Table = { name: 'jobs', columns: COLUMNS, parents: [] };

const FROM_SQLITE = `select id, name, payload, unique_key,
       case state when 'active' then 'queued' else state end,
       case state when 'active' then attempts - 1 else attempts end,
       attempts_allowed, created_at, run_at,
       case state when 'active' then null else taken_at end,
       died_at, last_error, behind
  from jobs`;

const toMs = (column: string): string => `cast(round(extract(epoch from ${column}) * 1000) as bigint)`;

/**
 * Reads jobs from pg-boss (see `pg-boss-engine.ts` and `pg-boss-rows.ts`). Its retry count increases when a job is
 * taken again, so an attempt that has ended adds one.
 */
const FROM_PG_BOSS = `select cast(id as text), name, cast(data as text), nullif(singleton_key, cast(id as text)),
       case state when 'failed' then 'dead' else 'queued' end,
       cast(retry_count + case when state <> 'active' and started_on is not null then 1 else 0 end as bigint),
       cast(retry_limit + 1 as bigint), ${toMs('created_on')}, ${toMs('start_after')},
       case state when 'active' then null else ${toMs('started_on')} end,
       case state when 'failed' then ${toMs('completed_on')} end,
       coalesce(output ->> 'message', case when output -> 'value' ->> 'message' is not null then '${PROCESS_ENDED}' end),
       cast(-priority as bigint)
  from pgboss.job where state in ('created', 'retry', 'active', 'failed')`;

/**
 * Sorts the fields of a payload, because PostgreSQL stores JSON in an order of its own. Payloads are small and flat.
 */
const sortPayload = (payload: string): string => {
  const entries = Object.entries(JSON.parse(payload)).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries));
};

const hasPgBoss = async (snapshot: Snapshot): Promise<boolean> => {
  for await (const rows of snapshot.read("select 1 where to_regclass('pgboss.job') is not null"))
    return rows.length > 0;
  return false;
};

/** Reads all jobs in a snapshot: waiting, running, and failed ones. */
export async function* readArchivedJobs(snapshot: Snapshot): AsyncIterable<ScannedRow[]> {
  if (snapshot.engine === 'postgresql' && !(await hasPgBoss(snapshot))) return;
  const text = snapshot.engine === 'sqlite' ? FROM_SQLITE : FROM_PG_BOSS;
  for await (const rows of snapshot.read(text))
    yield rows.map((row) => row.with(PAYLOAD_AT, sortPayload(String(row[PAYLOAD_AT]))));
}
