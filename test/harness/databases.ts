import { randomBytes } from 'node:crypto';
import { describe } from 'node:test';
import pg from 'pg';
import {
  type DatabaseSettings,
  type Engine,
  migrateDatabase,
  openDatabase,
  Secret,
  systemClock,
} from '../../src/platform/index.ts';
import { makeTestDirectory } from './test-directory.ts';

export const TEMPLATE = 'patchbay_template';

export const databaseUrl = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href;

export const createDatabaseAt = async (server: string, name: string, template = 'template1'): Promise<void> => {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
};

const testServer = (): string => {
  const url = process.env['PATCHBAY_TEST_POSTGRESQL'];
  if (!url) throw new Error('No test PostgreSQL: run the tests through "npm test", or "npm test -- <file>".');
  return url;
};

/** Where a fresh database of this engine is. The directory is the data directory, also on PostgreSQL. */
export type TestStore = { engine: Engine; settings: DatabaseSettings; remove(): void };

/** Migrated, unless a test does that itself. */
export const createTestStore = async (engine: Engine, { migrated = true } = {}): Promise<TestStore> => {
  const { path: dataDirectory, remove } = makeTestDirectory('patchbay-test-');
  const settings = { url: null, dataDirectory, poolSize: 10, statementTimeoutMs: 10_000 };
  if (engine === 'sqlite') {
    if (!migrated) return { engine, settings, remove };
    const database = openDatabase(settings, () => undefined);
    await migrateDatabase(database, systemClock);
    await database.close();
    return { engine, settings, remove };
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createDatabaseAt(testServer(), name, migrated ? TEMPLATE : 'template1');
  return { engine, settings: { ...settings, url: new Secret(databaseUrl(testServer(), name)) }, remove };
};

/** The same suite against both engines. */
export const onEachEngine = (title: string, suite: (engine: Engine) => void): void => {
  for (const engine of ['sqlite', 'postgresql'] as const) describe(`${title} (${engine})`, () => suite(engine));
};
