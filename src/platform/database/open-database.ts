import { join } from 'node:path';
import type { Secret } from '../secret.ts';
import type { Database } from './database.ts';
import { openPostgresqlDatabase } from './postgresql-database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

export type DatabaseSettings = {
  url: Secret | null;
  dataDirectory: string;
  poolSize: number;
  statementTimeoutMs: number;
  /** How long `scan` may take. */
  scanTimeoutMs?: number;
};

const SCAN_TIMEOUT_MS = 120_000;

/** PostgreSQL where an address is set, else a file in the data directory. */
export const openDatabase = (
  { scanTimeoutMs = SCAN_TIMEOUT_MS, ...settings }: DatabaseSettings,
  onError: (error: Error) => void,
): Database =>
  settings.url
    ? openPostgresqlDatabase({ ...settings, url: settings.url.reveal(), scanTimeoutMs }, onError)
    : openSqliteDatabase(join(settings.dataDirectory, 'patchbay.db'), scanTimeoutMs);
