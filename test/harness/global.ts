import { migrateDatabase, openDatabase, Secret, systemClock } from '../../src/platform/index.ts';
import { createDatabaseAt, databaseUrl, TEMPLATE } from './databases.ts';
import { type PostgresqlServer, startPostgresqlServer } from './postgresql-server.ts';

let server: PostgresqlServer | undefined;

/** Once per run: one PostgreSQL and one migrated database that every test copies. */
export const globalSetup = async (): Promise<void> => {
  server = await startPostgresqlServer({ fsync: false });
  process.env['PATCHBAY_TEST_POSTGRESQL'] = server.url;
  await createDatabaseAt(server.url, TEMPLATE);
  const settings = {
    url: new Secret(databaseUrl(server.url, TEMPLATE)),
    dataDirectory: '',
    poolSize: 1,
    statementTimeoutMs: 30_000,
  };
  const database = openDatabase(settings, () => undefined);
  await migrateDatabase(database, systemClock);
  await database.close();
};

export const globalTeardown = async (): Promise<void> => {
  await server?.remove();
};
