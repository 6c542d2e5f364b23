import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { type Engine, openDatabase, Secret } from '../../src/platform/index.ts';
import { SECRETS } from './app.ts';
import { createDatabaseAt, databaseUrl, TEMPLATE } from './databases.ts';
import { openServeStage } from './serve-stage.ts';
import { SERVICE_URL } from './telephony-stage.ts';

const createUrl = async (): Promise<string> => {
  const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
  const name = `kill_${randomBytes(6).toString('hex')}`;
  await createDatabaseAt(server, name, TEMPLATE);
  return databaseUrl(server, name);
};

/** Processes to kill on the same database, which the test opens beside them: two on PostgreSQL, and one on SQLite. */
export const openKillStage = async (context: TestContext, engine: Engine) => {
  const { serve, newDirectory } = openServeStage(context);
  const url = engine === 'sqlite' ? null : await createUrl();
  const environments = Array.from({ length: url === null ? 1 : 2 }, () => ({
    ...SECRETS,
    PATCHBAY_URL: SERVICE_URL,
    PATCHBAY_DATA: newDirectory(),
    ...(url !== null && { DATABASE_URL: url }),
  }));
  return {
    environments,
    serve,
    open() {
      const dataDirectory = environments[0]?.PATCHBAY_DATA ?? '';
      const settings = { url: url === null ? null : new Secret(url), dataDirectory };
      const database = openDatabase({ ...settings, poolSize: 2, statementTimeoutMs: 10_000 }, () => undefined);
      context.after(() => database.close());
      return database;
    },
  };
};
