import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Owner } from './add-owner.ts';
import { CREATE_TEAMS, INDEXES, INSERT_CALLS, INSERT_RECORDINGS, type MadeCalls, valuesOf } from './made-calls.ts';

export type Filling = { owners: readonly Owner[]; calls: readonly MadeCalls[] };

const QUICK = `pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off;
  pragma temp_store = memory; pragma cache_size = -1000000`;

/** Nothing else uses the file, and if it breaks it is made again, so it doesn't have to be durable. */
export const fillSqlite = (path: string, { owners, calls }: Filling): void => {
  const database = new DatabaseSync(path);
  try {
    database.exec(`${QUICK}; ${CREATE_TEAMS}`);
    const places = INDEXES.map(() => '?').join(', ');
    const indexes = database.prepare(`select name, sql from sqlite_schema where name in (${places})`).all(...INDEXES);
    for (const { name } of indexes) database.exec(`drop index ${name}`);
    const addOwner = database.prepare('insert into bench_teams values (?, ?, ?)');
    for (const [number, { teamId, accountId }] of owners.entries()) addOwner.run(BigInt(number), teamId, accountId);
    const insert = database.prepare(INSERT_CALLS.replace(/\$(\d)/g, '?$1'));
    for (const made of calls)
      insert.run(...valuesOf(made).map((value) => (typeof value === 'number' ? BigInt(value) : value)));
    database.exec(INSERT_RECORDINGS);
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec('pragma journal_mode = wal');
  } finally {
    database.close();
  }
};

/** As on SQLite: without a log, and without looking up what each row refers to. */
const QUICK_POSTGRESQL = `set session_replication_role = replica; set maintenance_work_mem = '1GB';
  alter table call_events drop constraint call_events_call_id_fkey; alter table calls set unlogged; ${CREATE_TEAMS}`;

export const fillPostgresql = async (url: string, { owners, calls }: Filling): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(QUICK_POSTGRESQL);
    const { rows: indexes } = await client.query(
      'select indexname, indexdef from pg_indexes where indexname = any ($1)',
      [INDEXES],
    );
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
    await client.query(
      'insert into bench_teams select ordinality - 1, a, b from unnest($1::text[], $2::text[]) with ordinality as t (a, b, ordinality)',
      [owners.map(({ teamId }) => teamId), owners.map(({ accountId }) => accountId)],
    );
    for (const made of calls) await client.query(INSERT_CALLS, valuesOf(made));
    await client.query(INSERT_RECORDINGS);
    for (const { indexdef } of indexes) await client.query(indexdef);
    await client.query('vacuum analyze calls, recordings');
  } finally {
    await client.end();
  }
};
