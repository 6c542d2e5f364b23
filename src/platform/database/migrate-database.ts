import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../clock.ts';
import type { Database, Queries, Transaction } from './database.ts';

export type Migration = { id: string; text: string; digest: string };

/** `unknown`: has run, but this version doesn't know it. */
export type MigrationState = { applied: number; expected: number; pending: string[]; unknown: string[] };

/** The database doesn't match the code. Nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url));
/** Any number, as long as every process uses the same one. */
export const MIGRATION_LOCK = 7_241_302;

export const readMigrations = (folder = MIGRATIONS): Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(`${folder}/${file}`, 'utf8');
      return { id: file.replace(/\.sql$/, ''), text, digest: hash('sha256', text, 'hex') };
    });

type Applied = { id: string; digest: string };

const isFirstStart = async (queries: Queries, engine: Database['engine']): Promise<boolean> => {
  const text =
    engine === 'sqlite'
      ? "select name from sqlite_schema where name = 'schema_migrations'"
      : "select to_regclass('schema_migrations') as name where to_regclass('schema_migrations') is not null";
  return (await queries.get(text)) === undefined;
};

const readApplied = (queries: Queries): Promise<Applied[]> =>
  queries.all<Applied>('select id, digest from schema_migrations order by id');

/** In the place of a migration that no version has: a database that is still being filled, or never was to the end. */
export const UNFINISHED = 'unfinished';

/** Why a database with a migration that this version doesn't have can't be used. */
export const describeUnknown = (id: string): string =>
  id === UNFINISHED
    ? 'This database is incomplete: restoring or moving into it was interrupted, or is still running. Run the same command again. To start with an empty database instead, create a new one.'
    : `The database is newer than this version of Patchbay: it has migration ${id}, which this version does not have. Use the newer version.`;

const refuseStrangers = (applied: readonly Applied[], migrations: readonly Migration[]): void => {
  for (const { id, digest } of applied) {
    const known = migrations.find((migration) => migration.id === id);
    if (!known) throw new MigrationRefused(describeUnknown(id));
    if (known.digest !== digest) {
      throw new MigrationRefused(
        `Migration ${id} was changed after it ran on this database. Restore the file, and put changes in a new migration.`,
      );
    }
  }
};

/** What is missing and what is unknown, given what has run. */
export const compareMigrations = (applied: readonly string[], migrations = readMigrations()): MigrationState => {
  const known = migrations.map(({ id }) => id);
  return {
    applied: applied.length,
    expected: known.length,
    pending: known.filter((id) => !applied.includes(id)),
    unknown: applied.filter((id) => !known.includes(id)),
  };
};

/** What has run and what is missing. Changes nothing. */
export const getMigrationState = async (database: Database, migrations = readMigrations()): Promise<MigrationState> => {
  const applied = (await isFirstStart(database, database.engine)) ? [] : await readApplied(database);
  return compareMigrations(
    applied.map(({ id }) => id),
    migrations,
  );
};

export const CREATE_SCHEMA_MIGRATIONS =
  'create table if not exists schema_migrations (id text primary key, digest text not null, applied_at bigint not null)';

/** Applies everything that is missing. Returns the ids. */
export const applyMigrations = async (
  tx: Transaction,
  clock: Clock,
  migrations = readMigrations(),
): Promise<string[]> => {
  await tx.script(CREATE_SCHEMA_MIGRATIONS);
  const applied = await readApplied(tx);
  refuseStrangers(applied, migrations);
  const done = new Set(applied.map(({ id }) => id));
  const pending = migrations.filter(({ id }) => !done.has(id));
  for (const { id, text, digest } of pending) {
    await tx.script(text);
    const values = [id, digest, clock.now()];
    await tx.run('insert into schema_migrations (id, digest, applied_at) values ($1, $2, $3)', values);
  }
  return pending.map(({ id }) => id);
};

/**
 * Applies everything that is missing, or nothing, in one transaction under a lock. If several processes start at once,
 * one migrates and the others find it done. Returns the ids it applied.
 */
export const migrateDatabase = (database: Database, clock: Clock, migrations = readMigrations()): Promise<string[]> =>
  database.transaction(async (tx) => {
    // Another process may be migrating for longer than statements are normally allowed to take.
    if (tx.engine === 'postgresql')
      await tx.script(`set local statement_timeout = 0; select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    return applyMigrations(tx, clock, migrations);
  });

/** If several processes set up a new database, this lets one of them through until its transaction ends. */
export const takeSetupTurn = async (tx: Transaction): Promise<void> => {
  await tx.get('select id from schema_migrations order by id limit 1 for update');
};
