import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Database } from './database.ts';
import type { DatabaseSettings } from './database-settings.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';

const SCAN_TIMEOUT_MS = 30_000;

/** Loads the driver only if it's needed. Uses `require` because opening a database is synchronous. */
const loadPostgresql = (): typeof import('./postgresql/postgresql-database.ts') =>
  createRequire(import.meta.url)('./postgresql/postgresql-database.ts');

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'patchbay.db');

/** Whether there is a database in the data directory. */
export const hasDatabaseFile = (dataDirectory: string): boolean => existsSync(fileIn(dataDirectory));

/** PostgreSQL if a URL is set, otherwise a file in the data directory. */
export const openDatabase = (
  { scanTimeoutMs = SCAN_TIMEOUT_MS, ...settings }: DatabaseSettings,
  onError: (error: Error) => void,
): Database =>
  settings.url
    ? loadPostgresql().openPostgresqlDatabase({ ...settings, url: settings.url.reveal(), scanTimeoutMs }, onError)
    : openSqliteDatabase(fileIn(settings.dataDirectory), { ...settings, scanTimeoutMs });
