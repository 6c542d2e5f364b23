import type { Clock } from '../clock.ts';
import { type Database, Deadlocked, type Queries, type Transaction } from './database.ts';
import {
  type Applied,
  compareMigrations,
  describeUnknown,
  findEarly,
  type Migration,
  type MigrationState,
  readMigrations,
} from './migration-state.ts';

/** The database doesn't match the code. Nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

/** The key of PostgreSQL's advisory lock. Any number works, as long as every process uses the same one. */
export const MIGRATION_LOCK = 7_241_302;

const isFirstStart = async (queries: Queries, engine: Database['engine']): Promise<boolean> => {
  const text =
    engine === 'sqlite'
      ? "select name from sqlite_schema where name = 'schema_migrations'"
      : "select to_regclass('schema_migrations') as name where to_regclass('schema_migrations') is not null";
  return (await queries.get(text)) === undefined;
};

const readApplied = (queries: Queries): Promise<Applied[]> =>
  queries.all<Applied>('select id, digest from schema_migrations order by id');

/** Returns which migrations have run and which are missing. Changes nothing. */
export const getMigrationState = async (database: Database, migrations = readMigrations()): Promise<MigrationState> => {
  const applied = (await isFirstStart(database, database.engine)) ? [] : await readApplied(database);
  return compareMigrations(applied, migrations);
};

export const CREATE_SCHEMA_MIGRATIONS =
  'create table if not exists schema_migrations (id text primary key, digest text not null, applied_at bigint not null)';

const noteApplied = (tx: Transaction, { id, digest }: Applied, clock: Clock) =>
  tx.run('insert into schema_migrations (id, digest, applied_at) values ($1, $2, $3)', [id, digest, clock.now()]);

/**
 * Upgrades a database from before 0.1: runs the rest of its old migrations, and records today's migrations instead of
 * them.
 */
const finishEarly = async (tx: Transaction, clock: Clock, migrations: readonly Migration[]): Promise<void> => {
  const early = findEarly(await readApplied(tx), migrations);
  if (!early) return;
  for (const { text } of early.missing) await tx.script(text);
  await tx.run('delete from schema_migrations');
  for (const migration of early.same) await noteApplied(tx, migration, clock);
};

/** Applies all missing migrations. Returns their IDs. */
export const applyMigrations = async (
  tx: Transaction,
  clock: Clock,
  migrations = readMigrations(),
): Promise<string[]> => {
  await tx.script(CREATE_SCHEMA_MIGRATIONS);
  await finishEarly(tx, clock, migrations);
  const { pending, unknown } = compareMigrations(await readApplied(tx), migrations);
  if (unknown.length > 0) throw new MigrationRefused(describeUnknown(unknown, migrations));
  for (const migration of migrations.filter(({ id }) => pending.includes(id))) {
    await tx.script(migration.text);
    await noteApplied(tx, migration, clock);
  }
  return pending;
};

/** How often migrations are tried. A running process of an older version may lock the same tables in another order. */
const TRIES = 10;

const migrateOnce = (database: Database, clock: Clock, migrations: Migration[]): Promise<string[]> =>
  database.transaction(async (tx) => {
    // Turn off the time limit for statements, because another process may hold the lock for longer than that.
    if (tx.engine === 'postgresql')
      await tx.script(`set local statement_timeout = 0; select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    return applyMigrations(tx, clock, migrations);
  });

/**
 * Applies all missing migrations or none, in one transaction under a lock. If several processes start at once, one of
 * them migrates, and the others find it done. Returns the IDs of the migrations it applied.
 */
export const migrateDatabase = async (
  database: Database,
  clock: Clock,
  migrations = readMigrations(),
): Promise<string[]> => {
  for (let round = 1; ; round++) {
    try {
      return await migrateOnce(database, clock, migrations);
    } catch (error) {
      if (!(error instanceof Deadlocked) || round === TRIES) throw error;
    }
  }
};

/** Lets only one process at a time set up a new database. The others wait for this lock until its transaction ends. */
export const takeSetupTurn = async (tx: Transaction): Promise<void> => {
  await tx.get('select id from schema_migrations order by id limit 1 for update');
};
