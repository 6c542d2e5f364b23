import { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import { pointToCompiledCode } from '../running/compile-cache.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import type { DatabaseSettings } from './database-settings.ts';
import { getMigrationState, MigrationRefused, migrateDatabase } from './migrate-database.ts';
import { MIGRATIONS, readMigrations } from './migration-state.ts';

const SCRIPT = new URL('./migrate-beside.thread.ts', import.meta.url);

export type MigrationTask = { dataDirectory: string; folder: string };
export type MigrationEnd = { applied: string[] } | { refused: string } | { unavailable: string };

const migrateInThread = async (task: MigrationTask): Promise<string[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<MigrationEnd>();
  const thread = new Worker(SCRIPT, { workerData: task, execArgv: [], env: pointToCompiledCode() });
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('The migration thread ended without a result.')));
  const end = await promise;
  if ('refused' in end) throw new MigrationRefused(end.refused);
  if ('unavailable' in end) throw new DatabaseUnavailable(end.unavailable);
  return end.applied;
};

/**
 * Migrates while the process keeps responding. Indexing a million rows takes SQLite seconds. A health probe would get
 * no response in that time, and the process would be killed. So an SQLite file with data in it is migrated in a thread.
 * Every other migration is quick.
 */
export const migrateBeside = async (
  database: Database,
  { dataDirectory }: Pick<DatabaseSettings, 'dataDirectory'>,
  clock: Clock,
  folder = MIGRATIONS,
): Promise<string[]> => {
  const migrations = readMigrations(folder);
  const { applied, pending } = await getMigrationState(database, migrations);
  return database.engine === 'sqlite' && applied > 0 && pending.length > 0
    ? migrateInThread({ dataDirectory, folder })
    : migrateDatabase(database, clock, migrations);
};
