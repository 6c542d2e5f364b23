import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { describe } from 'node:test';
import pg from 'pg';
import { type DatabaseSettings, type Engine, Secret } from '../../src/platform/index.ts';
import { makeTestDirectory } from './test-directory.ts';

export const TEMPLATE = 'patchbay_template';

export const databaseUrl = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href;

const queryAt = async (server: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(sql);
  await client.end();
};

/** Copying files takes less processor time than writing them to the log page by page, which is the default. */
export const createDatabaseAt = (server: string, name: string, template = 'template1'): Promise<void> =>
  queryAt(server, `create database ${name} template ${template} strategy file_copy`);

/** What was prepared once for the whole run (`global.ts`). */
const fromRun = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error('There is no test database: run the tests through "npm test", or "npm test -- <file>".');
  return value;
};

const testServer = (): string => fromRun('PATCHBAY_TEST_POSTGRESQL');

/** Where a fresh database of this engine is. The directory is the data directory, also on PostgreSQL. */
export type TestStore = { engine: Engine; settings: DatabaseSettings; remove(): Promise<void> };

/** Migrated, unless a test does that itself. */
export const createTestStore = async (engine: Engine, { migrated = true } = {}): Promise<TestStore> => {
  const directory = makeTestDirectory('patchbay-test-');
  const dataDirectory = directory.path;
  const settings = { url: null, dataDirectory, poolSize: 10, statementTimeoutMs: 10_000 };
  if (engine === 'sqlite') {
    if (migrated) cpSync(fromRun('PATCHBAY_TEST_SQLITE'), dataDirectory, { recursive: true });
    return { engine, settings, remove: async () => directory.remove() };
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createDatabaseAt(testServer(), name, migrated ? TEMPLATE : 'template1');
  const remove = async (): Promise<void> => {
    directory.remove();
    await queryAt(testServer(), `drop database ${name} with (force)`);
  };
  return { engine, settings: { ...settings, url: new Secret(databaseUrl(testServer(), name)) }, remove };
};

type Suite = (engine: Engine) => void;

/** The same suite on both engines, in every run: where stores, locks or transactions are the subject. */
export const onEachEngine = (title: string, suite: Suite): void => {
  // A run of what is left has nothing of these, because they ran before.
  if (process.env['PATCHBAY_TEST_ENGINES'] === 'other') return;
  for (const engine of ['sqlite', 'postgresql'] as const) describe(`${title} (${engine})`, () => suite(engine));
};

/** A suite for which the engine makes no difference: `npm test` runs it on SQLite, and `--all` on PostgreSQL, too. */
export const onOneEngine = (title: string, suite: Suite): void => {
  const engines = process.env['PATCHBAY_TEST_ENGINES'];
  if (engines !== 'other') describe(`${title} (sqlite)`, () => suite('sqlite'));
  if (engines !== 'first') describe(`${title} (also on postgresql)`, () => suite('postgresql'));
};
