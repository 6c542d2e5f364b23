import { join } from 'node:path';
import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Engine, migrateDatabase } from '../../src/platform/index.ts';
import { ensureFirstTeam } from '../../src/teams/index.ts';
import { createDatabaseAt, databaseUrl } from '../../test/harness/databases.ts';
import type { Tools } from '../benchmark.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { addOwner } from './add-owner.ts';
import { type Filling, fillPostgresql, fillSqlite } from './fill-store.ts';

export type Place = { directory: string; databaseUrl: string | null; keys: string; cronSecret: string };

/** Opens the service on the database of a benchmark. Jobs aren't started, so no report is made by itself. */
export const openApp = ({ directory, databaseUrl: url, keys, cronSecret }: Place): App =>
  buildApp(
    readConfig({
      PATCHBAY_DATA: directory,
      PATCHBAY_KEYS: keys,
      CRON_SECRET: cronSecret,
      LOG_LEVEL: 'silent',
      // Raise the limit, because all requests come from the same caller.
      PATCHBAY_RATE_LIMIT: '1000000',
      ...(url === null ? {} : { DATABASE_URL: url }),
    }),
  );

const addOwners = (app: App, teams: number): Promise<Filling['owners']> =>
  app.database.transaction(async (tx) => {
    const owners = [];
    for (let number = 0; number < teams; number++) owners.push(await addOwner(app, tx, number, null));
    // Make the teams older than their first call.
    await tx.run('update teams set created_at = 1');
    return owners;
  });

export type StorePlan = { engine: Engine; serverUrl: string; name: string; keys: string; teams: number };

/** Makes a new database with these teams and calls, which is removed after the benchmark. */
export const makeStore = async (
  { cleanUp }: Tools,
  { engine, serverUrl, name, keys, teams }: StorePlan,
  calls: Filling['calls'],
): Promise<{ place: Place; owners: Filling['owners'] }> => {
  const directory = makeDirectory(cleanUp);
  const url = engine === 'sqlite' ? null : databaseUrl(serverUrl, name);
  if (url !== null) await createDatabaseAt(serverUrl, name);
  const place = { directory, databaseUrl: url, keys, cronSecret: 'cron-secret-of-the-benchmark-0123456789' };
  const app = openApp(place);
  await migrateDatabase(app.database, app.clock);
  await ensureFirstTeam(app, app.config.adminEmail);
  const owners = await addOwners(app, teams);
  await app.close();
  if (url === null) fillSqlite(join(directory, 'patchbay.db'), { owners, calls });
  else await fillPostgresql(url, { owners, calls });
  return { place, owners };
};
