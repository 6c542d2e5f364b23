import { type DatabaseSettings, migrateDatabase, openDatabase, Secret, systemClock } from '../../src/platform/index.ts';
import { createDatabaseAt, databaseUrl, TEMPLATE } from './databases.ts';
import { type PostgresqlServer, startPostgresqlServer } from './postgresql-server.ts';
import { makeTestDirectory } from './test-directory.ts';
import { tomorrowsMigration } from './tomorrows-migration.ts';

let server: PostgresqlServer | undefined;
let sqlite: ReturnType<typeof makeTestDirectory> | undefined;

const migrate = async (where: Pick<DatabaseSettings, 'url' | 'dataDirectory'>): Promise<void> => {
  const database = openDatabase({ ...where, poolSize: 1, statementTimeoutMs: 30_000 }, () => undefined);
  await migrateDatabase(database, systemClock);
  // Not recorded, so that commands don't refuse it: `PATCHBAY_TEST_SCHEMA=tomorrow npm test` runs everything on it.
  if (process.env['PATCHBAY_TEST_SCHEMA'] === 'tomorrow')
    await database.transaction((tx) => tx.script(tomorrowsMigration().text));
  await database.close();
};

/** Once per run: one PostgreSQL, and a migrated database of each engine that every test copies. */
export const globalSetup = async (): Promise<void> => {
  sqlite = makeTestDirectory('patchbay-template-');
  await migrate({ url: null, dataDirectory: sqlite.path });
  process.env['PATCHBAY_TEST_SQLITE'] = sqlite.path;
  server = await startPostgresqlServer({ fsync: false });
  await createDatabaseAt(server.url, TEMPLATE);
  await migrate({ url: new Secret(databaseUrl(server.url, TEMPLATE)), dataDirectory: '' });
  process.env['PATCHBAY_TEST_POSTGRESQL'] = server.url;
};

export const globalTeardown = async (): Promise<void> => {
  await server?.remove();
  sqlite?.remove();
};
