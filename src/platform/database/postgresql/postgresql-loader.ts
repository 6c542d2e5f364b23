import type pg from 'pg';
import type { Transaction } from '../database.ts';
import { type Loader, PlaceTaken } from '../loader.ts';
import { CREATE_SCHEMA_MIGRATIONS, MIGRATION_LOCK } from '../migrate-database.ts';
import { UNFINISHED } from '../migration-state.ts';
import { copyRows } from './copy-rows.ts';
import { connectionOptions } from './postgresql-options.ts';
import { postgresqlQueries } from './postgresql-queries.ts';
import { readByCursor } from './postgresql-snapshot.ts';
import { createAsk } from './postgresql-statements.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

/** Creating an index on a large table may take this long. */
const STATEMENT_TIMEOUT_MS = 6 * 3_600_000;
/** How long to wait for the lock. If an earlier restore was killed, its last statement may still hold the lock. */
const LOCK_TIMEOUT = '60s';
const SETTINGS = "set lock_timeout = 0; set maintenance_work_mem = '256MB'; set synchronous_commit = on";

const HERE = 'current_schema()::regnamespace';

const FIND_TABLE = `select relname as name from pg_class
  where relnamespace = ${HERE} and relkind in ('r', 'p', 'v', 'm', 'S') and relname <> 'schema_migrations' limit 1`;

const LIST_CONSTRAINTS = `select conrelid::regclass::text as "table", quote_ident(conname) as name, contype as kind,
    pg_get_constraintdef(oid) as definition
  from pg_constraint where connamespace = ${HERE} and contype in ('p', 'u', 'f') and conrelid::regclass::text <> 'schema_migrations'
  order by contype = 'f', conname`;

const LIST_INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indexrelid
  where relnamespace = ${HERE} and not exists (select 1 from pg_constraint where conindid = indexrelid) order by 1`;

type Constraint = { table: string; name: string; kind: 'p' | 'u' | 'f'; definition: string };
type Index = { name: string; definition: string };

const refuseUnlessEmpty = async (client: pg.Client): Promise<void> => {
  const { rows: tables } = await client.query<{ name: string }>(FIND_TABLE);
  const { rows: marked } = await client.query("select 1 where to_regclass('schema_migrations') is not null");
  const { rows: applied } =
    marked.length > 0
      ? await client.query('select id from schema_migrations where id <> $1', [UNFINISHED])
      : { rows: [] };
  if (tables.length + applied.length > 0)
    throw new PlaceTaken(
      `The PostgreSQL database is not empty${tables[0] ? `: it has a table named ${tables[0].name}` : ''}. Create a new one for this.`,
    );
};

const waitForLock = async (client: pg.Client): Promise<void> => {
  try {
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'; select pg_advisory_lock(${MIGRATION_LOCK})`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
    throw new PlaceTaken(
      'Another process is filling or migrating this PostgreSQL database. Wait until it has finished.',
    );
  }
};

/**
 * Marks the database as unfinished, and begins the transaction that removes the mark. If the transaction rolls back,
 * the mark stays.
 */
const begin = async (client: pg.Client): Promise<void> => {
  await client.query(CREATE_SCHEMA_MIGRATIONS);
  await client.query(
    "insert into schema_migrations (id, digest, applied_at) values ($1, '', 0) on conflict do nothing",
    [UNFINISHED],
  );
  await client.query(`${SETTINGS}; begin`);
  await client.query('delete from schema_migrations');
};

const dropIndexes = async (client: pg.Client): Promise<() => Promise<void>> => {
  const { rows: constraints } = await client.query<Constraint>(LIST_CONSTRAINTS);
  const { rows: indexes } = await client.query<Index>(LIST_INDEXES);
  for (const { table, name } of constraints.toReversed())
    await client.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const restore = async (wanted: readonly Constraint[]): Promise<void> => {
    for (const { table, name, definition } of wanted)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  };
  return async () => {
    await restore(constraints.filter(({ kind }) => kind !== 'f'));
    for (const { definition } of indexes) await client.query(definition);
    await client.query('analyze');
    await restore(constraints.filter(({ kind }) => kind === 'f'));
  };
};

/** Opens a connection for loading rows. Holds the migration lock, so that no other process migrates meanwhile. */
export const openPostgresqlLoader = async (url: string): Promise<Loader> => {
  const options = connectionOptions({ url, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const client = new options.Client({
    ...options,
    idle_in_transaction_session_timeout: 0,
    application_name: 'patchbay restore',
  });
  // Errors are ignored here, because the current or the next statement fails with the same error.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => void (await client.end().catch(() => undefined));
  const translated = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      throw translatePostgresqlError(error);
    });
  try {
    await translated(client.connect());
    await translated(waitForLock(client));
    await translated(refuseUnlessEmpty(client));
    await translated(begin(client));
  } catch (error) {
    await close();
    throw error;
  }
  let copying: Promise<void> = Promise.resolve();
  const tx: Transaction = {
    engine: 'postgresql',
    ...postgresqlQueries(client, createAsk()),
    script: async (text) => void (await translated(client.query(text))),
    afterCommit: () => undefined,
  };
  return {
    engine: 'postgresql',
    tx,
    read: (text) => readByCursor(client, text),
    dropIndexes: async () => {
      const restore = await translated(dropIndexes(client));
      return async () => {
        await translated(copying);
        await translated(restore());
      };
    },
    /** Resolves once the rows of the previous call are stored. The caller goes on while the server stores these. */
    async insert(table, columns, rows) {
      const before = copying;
      copying = copyRows(client, { table, columns, rows });
      // The next `insert` or `commit` reports the error.
      copying.catch(() => undefined);
      await translated(before);
    },
    async commit() {
      await translated(copying);
      await translated(client.query('commit'));
    },
    close,
  };
};
