import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { DatabaseUnavailable } from './database.ts';
import type { MigrationEnd, MigrationTask } from './migrate-beside.ts';
import { MigrationRefused, migrateDatabase } from './migrate-database.ts';
import { readMigrations } from './migration-state.ts';
import { openDatabase } from './open-database.ts';

const { dataDirectory, folder }: MigrationTask = workerData;

const settings = { url: null, dataDirectory, poolSize: 1, statementTimeoutMs: 0, beside: true };
const database = openDatabase(settings, () => undefined);

const migrate = async (): Promise<MigrationEnd> => {
  try {
    return { applied: await migrateDatabase(database, systemClock, readMigrations(folder)) };
  } catch (error) {
    if (error instanceof MigrationRefused) return { refused: error.message };
    if (error instanceof DatabaseUnavailable) return { unavailable: error.message };
    throw error;
  } finally {
    await database.close();
  }
};

parentPort?.postMessage(await migrate());
