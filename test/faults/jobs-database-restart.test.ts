import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type DatabaseSettings,
  DatabaseUnavailable,
  migrateDatabase,
  Secret,
  systemClock,
} from '../../src/platform/index.ts';
import { openTestJobs, type TestJobs } from '../harness/jobs.ts';
import { awaitWord, startProcess } from '../harness/jobs-process.ts';
import { type PostgresqlServer, startPostgresqlServer } from '../harness/postgresql-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

let server: PostgresqlServer;
let settings: DatabaseSettings;
let jobs: TestJobs;

before(async () => {
  server = await startPostgresqlServer();
  settings = { url: new Secret(server.url), dataDirectory: '', poolSize: 4, statementTimeoutMs: 10_000 };
  jobs = openTestJobs({ settings });
  await migrateDatabase(jobs.database, systemClock);
});

after(async () => {
  await jobs.close();
  await server.remove();
});

test('a database restart ends neither the worker nor the running job, and an outage is waited out', async () => {
  const enqueue = (word: string) => jobs.database.transaction((tx) => jobs.enqueue(tx, awaitWord, { word }));
  const allDone = async () => {
    const { queued, active, failed } = await jobs.count();
    return queued + active + failed === 0;
  };
  const worker = startProcess('worker', settings);
  try {
    await enqueue('go');
    await waitUntil('a job is at work', () => worker.lines.includes('begin go 1'), 30_000);
    await server.stopAtOnce();
    const late = startProcess('worker', settings);
    try {
      // The job ends while its result can't be saved.
      worker.tell('go');
      await waitUntil('the job ended', () => worker.lines.includes('end go 1'));
      await server.start();
      await waitUntil('its end is written down', allDone, 20_000);
      assert.deepEqual(worker.lines, ['begin go 1', 'end go 1']);

      await enqueue('');
      await waitUntil('a new job is done', allDone, 20_000);
      assert.ok(worker.isRunning() && late.isRunning());
      await worker.end('SIGTERM');
      assert.equal(worker.exitCode(), 0);
      const before = late.lines.length;
      await enqueue('');
      await waitUntil('the late worker works', () => late.lines.length > before, 20_000);
    } finally {
      await late.end('SIGKILL');
    }
  } finally {
    await worker.end('SIGKILL');
  }
});

test('a transaction open when the database goes away is refused, and the process continues', async () => {
  const open = jobs.database.transaction(async (tx) => {
    await jobs.enqueue(tx, awaitWord, { word: '' });
    await server.stopAtOnce();
  });
  await assert.rejects(open, DatabaseUnavailable);
  await server.start();
  assert.equal((await jobs.count()).queued, 0);
});
