import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Database } from './database.ts';
import type { DatabaseSettings } from './database-settings.ts';
import { type Loader, PlaceTaken } from './loader.ts';
import type { Snapshot } from './snapshot.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';
import { openSqliteLoader } from './sqlite/sqlite-loader.ts';
import { holdSqliteWrites, openSqliteSnapshot } from './sqlite/sqlite-snapshot.ts';
import { createMovedMark, refuseMoved, refuseUnusable } from './sqlite/unusable-file.ts';

const SCAN_TIMEOUT_MS = 30_000;

/** Loads the PostgreSQL driver only if it's needed. Uses `require` because opening a database is synchronous. */
const loadPostgresql = (): typeof import('./postgresql/postgresql-database.ts') =>
  createRequire(import.meta.url)('./postgresql/postgresql-database.ts');

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'patchbay.db');

export const hasDatabaseFile = (dataDirectory: string): boolean => existsSync(fileIn(dataDirectory));

/** Opens PostgreSQL if a URL is set, otherwise the SQLite file in the data directory. */
export const openDatabase = (
  { scanTimeoutMs = SCAN_TIMEOUT_MS, ...settings }: DatabaseSettings,
  onError: (error: Error) => void,
): Database => {
  if (settings.url)
    return loadPostgresql().openPostgresqlDatabase({ ...settings, url: settings.url.reveal(), scanTimeoutMs }, onError);
  const path = fileIn(settings.dataDirectory);
  refuseUnusable(path);
  return openSqliteDatabase(path, { ...settings, scanTimeoutMs });
};

export type Store = Pick<DatabaseSettings, 'url' | 'dataDirectory'>;

/** Opens a snapshot of the database as it is at this moment. */
export const openSnapshot = async ({ url, dataDirectory }: Store): Promise<Snapshot> => {
  if (!url) return openSqliteSnapshot(fileIn(dataDirectory));
  const { openPostgresqlSnapshot } = await import('./postgresql/postgresql-snapshot.ts');
  return openPostgresqlSnapshot(url.reveal());
};

/** Blocks all writes to the SQLite file in this directory until `release`. */
export const holdWrites = (dataDirectory: string): { release(): void } => holdSqliteWrites(fileIn(dataDirectory));

/**
 * Refuses a `-wal` or `-journal` file without its database. SQLite would apply it to a new database and damage that.
 */
const refuseLeftovers = (path: string): void => {
  const left = ['-wal', '-journal'].map((end) => `${path}${end}`).find((file) => existsSync(file));
  if (left !== undefined)
    throw new PlaceTaken(`${left} is left of a database that is no longer there, and would damage a new one.`);
};

/** Opens a loader for the database, which must be empty. */
export const openLoader = async ({ url, dataDirectory }: Store): Promise<Loader> => {
  if (!url) {
    const path = fileIn(dataDirectory);
    if (existsSync(path)) throw new PlaceTaken(`There already is a database in ${dataDirectory}.`);
    refuseMoved(path);
    refuseLeftovers(path);
    return openSqliteLoader(path);
  }
  const { openPostgresqlLoader } = await import('./postgresql/postgresql-loader.ts');
  return openPostgresqlLoader(url.reveal());
};

/** Returns the mark that says that the SQLite file in this directory was moved to PostgreSQL. */
export const movedMarkIn = (dataDirectory: string) => createMovedMark(fileIn(dataDirectory));
