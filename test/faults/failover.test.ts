import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Database,
  DatabaseUnavailable,
  migrateDatabase,
  openDatabase,
  openSnapshot,
  Secret,
  systemClock,
} from '../../src/platform/index.ts';
import { openTestJobs, type TestJobs } from '../harness/jobs.ts';
import { type PostgresqlPair, startPostgresqlPair } from '../harness/postgresql-pair.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import { waitUntil } from '../harness/wait-until.ts';

let pair: PostgresqlPair;
let database: Database;
let jobs: TestJobs;
const failures: unknown[] = [];

const settingsOf = (url: string) => ({
  url: new Secret(url),
  dataDirectory: '',
  poolSize: 4,
  statementTimeoutMs: 10_000,
});

before(async () => {
  pair = await startPostgresqlPair({ fsync: false });
  const settings = settingsOf(pair.urlOf('postgres'));
  database = openDatabase(settings, () => undefined);
  jobs = openTestJobs({ settings });
  await migrateDatabase(database, systemClock);
  await database.transaction((tx) => tx.script('create table kept (id text primary key)'));
});

after(async () => {
  await jobs.close();
  await database.close();
  await pair.remove();
});

const insert = (id: string): Promise<number> => database.run('insert into kept (id) values ($1)', [id]);

/** What was acknowledged until an insert fails. */
const insertUntilRefused = async (): Promise<string[]> => {
  const acknowledged: string[] = [];
  for (let place = 0; ; place++) {
    try {
      await insert(`${place}`);
      acknowledged.push(`${place}`);
      if (place === 50) void pair.primary.stopAtOnce();
    } catch (error) {
      failures.push(error);
      return acknowledged;
    }
  }
};

const listKept = async (): Promise<Set<string>> =>
  new Set((await database.all<{ id: string }>('select id from kept')).map(({ id }) => id));

test('of several hosts, only the one that accepts writes is used, for requests, long reads, jobs and backups', async () => {
  assert.equal(await insert('first'), 1);
  assert.deepEqual(await database.scan('select id from kept', []), [['first']]);
  assert.equal((await jobs.count()).queued, 0);
  const snapshot = await openSnapshot(settingsOf(pair.urlOf('postgres')));
  await snapshot.close();
  assert.ok((await database.diagnose(5_000)).migrations.length > 0);
});

test('no commit that was acknowledged is lost with the primary, and the promoted standby is found', async () => {
  const acknowledged = await insertUntilRefused();
  assert.ok(acknowledged.length > 50, `${acknowledged.length}`);
  assert.ok(failures[0] instanceof DatabaseUnavailable, String(failures[0]));
  await assert.rejects(insert('on a standby'), DatabaseUnavailable);

  await pair.promote();
  const readMs = startStopwatch();
  await waitUntil(
    'the standby is found',
    () =>
      insert('after').then(
        () => true,
        () => false,
      ),
    15_000,
  );
  const tookMs = readMs();
  assert.ok(tookMs < 5_000, `${tookMs} ms`);
  const kept = await listKept();
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
  );
  await waitUntil(
    'jobs go on',
    () =>
      jobs.count().then(
        () => true,
        () => false,
      ),
    15_000,
  );
});

test('a wrong database name is reported as such, and not as an unavailable server', async () => {
  const elsewhere = openDatabase(settingsOf(pair.urlOf('nowhere')), () => undefined);
  await assert.rejects(elsewhere.get('select 1 as one'), { code: '3D000' });
  await elsewhere.close();
});
