import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Secret } from '../secret.ts';
import type { CommitCount } from './commit-bell.ts';
import type { Database } from './database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

export type DatabaseSettings = {
  url: Secret | null;
  dataDirectory: string;
  poolSize: number;
  statementTimeoutMs: number;
  /** How long `scan` may take. */
  scanTimeoutMs?: number;
  /** Opened beside another one of the same process, which looks after the file for both. */
  beside?: boolean;
  /** Shared by all who are opened so, for SQLite. */
  commits?: CommitCount;
};

const SCAN_TIMEOUT_MS = 120_000;

/** On SQLite nobody needs it, and it brings the driver. `require`, because a database is opened without waiting. */
const loadPostgresql = (): typeof import('./postgresql-database.ts') =>
  createRequire(import.meta.url)('./postgresql-database.ts');

/** PostgreSQL where an address is set, else a file in the data directory. */
export const openDatabase = (
  { scanTimeoutMs = SCAN_TIMEOUT_MS, ...settings }: DatabaseSettings,
  onError: (error: Error) => void,
): Database =>
  settings.url
    ? loadPostgresql().openPostgresqlDatabase({ ...settings, url: settings.url.reveal(), scanTimeoutMs }, onError)
    : openSqliteDatabase(join(settings.dataDirectory, 'patchbay.db'), { ...settings, scanTimeoutMs });
