import type { ScannedRow, Snapshot, Table } from '../platform/index.ts';
import { FROM_PG_BOSS, HAS_PG_BOSS } from './engine/pg-boss-jobs.ts';

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
 * The queue, without what only running processes need. A running job is archived as a waiting one, as if it had never
 * been taken.
 */
export const ARCHIVED_JOBS: Table = { name: 'jobs', columns: COLUMNS, parents: [] };

const FROM_JOBS = `select id, name, payload, unique_key,
       case state when 'active' then 'queued' else state end,
       case state when 'active' then attempts - 1 else attempts end,
       attempts_allowed, created_at, run_at,
       case state when 'active' then null else taken_at end,
       died_at, last_error, behind
  from jobs`;

/**
 * Sorts the fields of a payload, so that a job is always archived as the same text. (pg-boss stored fields in an order
 * of its own.) Payloads are small and flat.
 */
const sortPayload = (payload: string): string => {
  const entries = Object.entries(JSON.parse(payload)).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries));
};

/** Lists the queries that read jobs. On PostgreSQL, jobs of an earlier version may still be in pg-boss's table. */
const listSources = async (snapshot: Snapshot): Promise<string[]> => {
  if (snapshot.engine === 'postgresql')
    for await (const found of snapshot.read(HAS_PG_BOSS)) if (found.length > 0) return [FROM_JOBS, FROM_PG_BOSS];
  return [FROM_JOBS];
};

/** Reads all jobs in a snapshot: waiting, running, and failed ones. */
export async function* readArchivedJobs(snapshot: Snapshot): AsyncIterable<ScannedRow[]> {
  for (const text of await listSources(snapshot))
    for await (const rows of snapshot.read(text))
      yield rows.map((row) => row.with(PAYLOAD_AT, sortPayload(String(row[PAYLOAD_AT]))));
}
