import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { holdAnswer } from '../../../test/harness/hold-database.ts';
import { openTestJobs } from '../../../test/harness/jobs.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { migrateDatabase } from '../../platform/database/migrate-database.ts';
import { readMigrations } from '../../platform/database/migration-state.ts';
import { createLog, createNewId, type Database, openDatabase, Type } from '../../platform/index.ts';
import { createBelievedClock } from '../believed-clock.ts';
import { defineJob } from '../job-definition.ts';
import { DEAD_KEPT_MS, type JobEngine, type TakenJob } from '../job-engine.ts';
import { createTableEngine } from './table-engine.ts';

const greet = defineJob({ name: 'greet-person', payload: Type.Object({ person: Type.String() }), concurrency: 50 });
const silent = createLog({ level: 'silent', secrets: [], shapes: [] });
const HOUR = 3_600_000;
/** More jobs than one step of upkeep or one page handles. */
const MANY = 450;

onEachEngine('the queue', (engineName) => {
  let store: TestStore;
  let database: Database;
  let engine: JobEngine;
  let now: number;
  const clock = { now: () => now };
  const newId = createNewId(clock);

  beforeEach(async () => {
    store = await createTestStore(engineName);
    database = openDatabase(store.settings, () => undefined);
    engine = createTableEngine({ database, clock });
    now = 1_700_000_000_000;
  });

  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  const enqueue = (person: string, delayMs = 0, behind = 0) =>
    database.transaction((tx) =>
      engine.enqueue(tx, { id: newId(), definition: greet, payload: { person }, key: null, delayMs, behind }),
    );
  const upkeep = async (): Promise<number> => {
    for (let steps = 1; ; steps++) if (!(await engine.upkeep())) return steps;
  };
  const take = async (room = 1) => {
    const people: unknown[] = [];
    for await (const { payload } of engine.take([{ name: greet.name, room }])) people.push(payload);
    return people.map((payload) => (payload as { person: string }).person);
  };
  const addMany = (count: number, values: { state: 'queued' | 'dead'; runAt: number; diedAt: number | null }) =>
    database.run(
      `insert into jobs (id, name, payload, state, attempts, attempts_allowed, created_at, run_at, died_at)
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < $1)
       select cast($2 as text) || n, $3, '{"person":"Edith"}', $4, 0, 3, cast($5 as bigint), cast($5 as bigint), cast($6 as bigint)
         from numbers`,
      [count, newId(), greet.name, values.state, values.runAt, values.diedAt],
    );

  test('any number of jobs that become due together all run, without waiting for the next poll', async () => {
    await addMany(MANY, { state: 'queued', runAt: now, diedAt: null });
    const jobs = openTestJobs(store, { clock, pollMs: HOUR });
    let ran = 0;
    jobs.handle(greet, async () => void ran++);
    jobs.start();
    try {
      await waitUntil('all ran', () => ran === MANY);
    } finally {
      await jobs.close();
    }
  });

  test('any number of failed jobs can be retried, each once', async () => {
    await addMany(MANY, { state: 'dead', runAt: now, diedAt: now });
    const jobs = openTestJobs(store, { clock });
    try {
      assert.equal(await jobs.retryDead('all'), MANY);
    } finally {
      await jobs.close();
    }
    assert.equal((await take(2 * MANY)).length, MANY);
  });

  test('the jobs of one team are forgotten, however many there are', async () => {
    await addMany(MANY, { state: 'queued', runAt: now, diedAt: null });
    await enqueue('Ada');
    await engine.forget('person', 'Edith');
    assert.deepEqual(await take(MANY), ['Ada']);
  });

  test('failed jobs of long ago are deleted, in steps, once the clock is believed', async () => {
    await addMany(MANY, { state: 'dead', runAt: now, diedAt: now });
    now = Date.now();
    await upkeep();
    assert.equal((await engine.count()).failed, MANY);
    await createBelievedClock({ database, clock, log: silent })();
    now += 1_000;
    assert.ok((await upkeep()) > 1);
    assert.equal((await engine.count()).failed, 0);
  });

  // On PostgreSQL, the time is the server's, which no test can move.
  if (engineName === 'postgresql') return;

  test('a job that has become due goes ahead of those with more before them', async () => {
    await enqueue('Ada', 0, 5);
    await enqueue('Grace', HOUR, 3);
    await enqueue('Joan', 2 * HOUR, 0);
    now += HOUR;
    assert.equal(await upkeep(), 1);
    assert.deepEqual([await take(), await take(), await take()], [['Grace'], ['Ada'], []]);
  });

  test('a job that only seemed to be due, while the clock was ahead, waits for its time', async () => {
    await enqueue('Ada', HOUR);
    now += 2 * HOUR;
    await enqueue('Grace', HOUR);
    await upkeep();
    now -= 2 * HOUR;
    await upkeep();
    assert.deepEqual(await take(2), []);
    now += HOUR;
    await upkeep();
    assert.deepEqual(await take(2), ['Ada', 'Grace']);
  });

  test('times are corrected after a restart, however many jobs there are', async () => {
    await addMany(MANY, { state: 'queued', runAt: now + 9 * HOUR, diedAt: null });
    assert.ok((await upkeep()) > 1);
    assert.equal((await take(MANY)).length, MANY);
  });

  test('failed jobs are deleted after thirty days, in steps, and not while the clock is in doubt', async () => {
    const believesClock = createBelievedClock({ database, clock, log: silent });
    const countFailed = async () => (await engine.count()).failed;
    await addMany(MANY, { state: 'dead', runAt: now, diedAt: now });
    await believesClock();
    now += DEAD_KEPT_MS + 1;
    await upkeep();
    assert.equal(await countFailed(), MANY);
    await believesClock();
    now += 60_000;
    await upkeep();
    assert.equal(await countFailed(), MANY, 'It is known that the clock has jumped.');
    now += 25 * HOUR;
    await database.run('update clock_looks set seen_at = $1', [now]);
    assert.ok((await upkeep()) > 1);
    assert.equal(await countFailed(), 0);
  });

  test('a job that fails again while all are retried is retried once', async () => {
    const jobs: TakenJob[] = [];
    const takeAll = async () => {
      for await (const job of engine.take([{ name: greet.name, room: MANY }])) jobs.push(job);
    };
    for (const person of ['Ada', 'Grace']) await enqueue(person);
    await takeAll();
    for (const job of jobs) await engine.bury(job, 'no');
    const retried: string[] = [];
    for await (const id of engine.dead.listIds()) {
      retried.push(id);
      if (retried.length > 2) break;
      await engine.dead.retry(id);
      jobs.length = 0;
      await takeAll();
      now += 1;
      for (const job of jobs) await engine.bury(job, 'still no');
    }
    assert.equal(retried.length, 2);
    assert.equal(new Set(retried).size, 2);
  });

  test('a job that is taken while the process stops is given back, and never begins', async (context) => {
    await enqueue('Ada');
    const jobs = openTestJobs(store, { clock });
    const taking = holdAnswer(jobs.database, 'allFrom', "set state = 'active'");
    let begun = 0;
    jobs.handle(greet, async () => void begun++);
    jobs.start();
    await taking.answered;
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const stopped = jobs.stop({ drainMs: 50 });
    context.mock.timers.tick(50);
    await nextTurn();
    taking.release();
    await stopped;
    assert.equal(begun, 0);
    const row = await jobs.database.get('select state, attempts from jobs');
    assert.deepEqual({ ...row }, { state: 'queued', attempts: 0 });
    await jobs.close();
  });

  test('more jobs than are counted at once are counted exactly', async () => {
    await addMany(5_050, { state: 'dead', runAt: now, diedAt: now });
    await enqueue('Ada');
    now += 2_000;
    assert.deepEqual(await engine.count(), { queued: 1, active: 0, failed: 5_050, oldestSeconds: 2 });
  });
});

test('jobs of an earlier version run after the upgrade, and those that wait go on waiting', async () => {
  const store = await createTestStore('sqlite', { migrated: false });
  const database = openDatabase(store.settings, () => undefined);
  let now = 1_700_000_000_000;
  const clock = { now: () => now };
  try {
    const migrations = readMigrations();
    const earlier = migrations.slice(
      0,
      migrations.findIndex(({ id }) => id.endsWith('-jobs-ready')),
    );
    await migrateDatabase(database, clock, earlier);
    const add = `insert into jobs (id, name, payload, unique_key, state, attempts, attempts_allowed, created_at, run_at)
                 values ($1, 'greet-person', '{"person":"Ada"}', $2, $3, 1, 3, $4, $5)`;
    await database.run(add, ['due', 'a', 'queued', now, now]);
    await database.run(add, ['running', null, 'active', now, now]);
    await database.run(add, ['waiting', 'b', 'queued', now, now + HOUR]);
    await migrateDatabase(database, clock);
    const engine = createTableEngine({ database, clock });
    const take = async () => {
      await engine.upkeep();
      const ids: string[] = [];
      for await (const { id } of engine.take([{ name: greet.name, room: 5 }])) ids.push(id);
      return ids.sort();
    };
    await engine.begin();
    assert.deepEqual(await take(), ['due', 'running']);
    const again = { id: 'again', definition: greet, payload: { person: 'Ada' }, key: 'b', delayMs: 0, behind: 0 };
    assert.equal(await database.transaction((tx) => engine.enqueue(tx, again)), 'duplicate');
    now += HOUR;
    assert.deepEqual(await take(), ['waiting']);
  } finally {
    await database.close();
    await store.remove();
  }
});
