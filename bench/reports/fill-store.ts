import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Owner } from './add-owner.ts';
import {
  CREATE_CROWD,
  FILLED_TABLES,
  INSERT_CALLS,
  INSERT_RECORDINGS,
  type MadeCalls,
  valuesOf,
} from './made-calls.ts';

/** The hash of a person's phone number. People are numbered. */
type Person = readonly [number: number, hash: string];

export type Filling = { owners: readonly Owner[]; calls: readonly MadeCalls[]; people?: readonly Person[] };

const QUICK = `pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off;
  pragma temp_store = memory; pragma cache_size = -1000000`;

/** Fills a SQLite file without waiting for the disk: nothing else uses the file, and it can be made again. */
export const fillSqlite = (path: string, { owners, calls, people = [] }: Filling): void => {
  // In the defensive mode, which is the default, the journal can't be turned off.
  const database = new DatabaseSync(path, { defensive: false });
  try {
    database.exec(`${QUICK}; ${CREATE_CROWD}`);
    const places = FILLED_TABLES.map(() => '?').join(', ');
    const indexes = database
      .prepare(
        `select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in (${places})`,
      )
      .all(...FILLED_TABLES);
    for (const { name } of indexes) database.exec(`drop index ${name}`);
    const addOwner = database.prepare('insert into bench_teams values (?, ?, ?)');
    for (const [number, { teamId, accountId }] of owners.entries()) addOwner.run(BigInt(number), teamId, accountId);
    const addPerson = database.prepare('insert into bench_people values (?, ?)');
    for (const [number, hash] of people) addPerson.run(BigInt(number), hash);
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

/** Makes inserts quick in the same way as on SQLite: without a log, and without checking foreign keys. */
const QUICK_POSTGRESQL = `set session_replication_role = replica; set maintenance_work_mem = '1GB';
  alter table call_events drop constraint call_events_call_id_fkey;
  alter table waiting_callers drop constraint waiting_callers_call_id_fkey;
  alter table calls set unlogged; ${CREATE_CROWD}`;

export const fillPostgresql = async (url: string, { owners, calls, people = [] }: Filling): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(QUICK_POSTGRESQL);
    const { rows: indexes } = await client.query(
      "select indexname, indexdef from pg_indexes where tablename = any ($1) and indexname not like '%_pkey'",
      [FILLED_TABLES],
    );
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
    await client.query(
      'insert into bench_teams select ordinality - 1, a, b from unnest($1::text[], $2::text[]) with ordinality as t (a, b, ordinality)',
      [owners.map(({ teamId }) => teamId), owners.map(({ accountId }) => accountId)],
    );
    await client.query('insert into bench_people select a, b from unnest($1::bigint[], $2::text[]) as t (a, b)', [
      people.map(([number]) => number),
      people.map(([, hash]) => hash),
    ]);
    for (const made of calls) await client.query(INSERT_CALLS, valuesOf(made));
    await client.query(INSERT_RECORDINGS);
    for (const { indexdef } of indexes) await client.query(indexdef);
    await client.query('vacuum analyze calls, recordings');
  } finally {
    await client.end();
  }
};
