import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { openTestJobs } from '../../test/harness/jobs.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { type Database, openDatabase, Type } from '../platform/index.ts';
import { defineJob } from './index.ts';
import { createRecurringJobs, nextRunAt } from './recurring-jobs.ts';

const sweep = defineJob({ name: 'sweep-floor', payload: Type.Object({}) });
const MINUTE = 60_000;

describe('next run', () => {
  test('stays on schedule, no matter how many were missed', () => {
    assert.equal(nextRunAt(1_000, 100, 1_000), 1_100);
    assert.equal(nextRunAt(1_000, 100, 1_099), 1_100);
    assert.equal(nextRunAt(1_000, 100, 5_050), 5_100);
  });
});

onEachEngine('recurring jobs', (engine) => {
  let store: TestStore;
  let databases: Database[];
  let now: number;
  let enqueued: number;
  const clock = { now: () => now };

  beforeEach(async () => {
    store = await createTestStore(engine);
    databases = Array.from({ length: 4 }, () => openDatabase(store.settings, () => undefined));
    now = 1_700_000_000_000;
    enqueued = 0;
  });

  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await store.remove();
  });

  const openAll = (everyMs: number, isOnTheClock = false) =>
    databases.map((database) => {
      const recurring = createRecurringJobs({ database, clock }, async (tx) => tx.afterCommit(() => enqueued++));
      recurring.add(sweep, { everyMs, isOnTheClock });
      return recurring;
    });
  const lookAll = (processes: ReturnType<typeof openAll>) =>
    Promise.all(processes.map((recurring) => recurring.enqueueDue()));

  test('only one of several processes enqueues: at the start, at the next time, and after downtime', async () => {
    const processes = openAll(MINUTE);
    await lookAll(processes);
    assert.equal(enqueued, 1);
    now += MINUTE - 1;
    await lookAll(processes);
    assert.equal(enqueued, 1);
    now += 1;
    await lookAll(processes);
    assert.equal(enqueued, 2);
    now += 10 * MINUTE;
    await lookAll(processes);
    await lookAll(processes);
    assert.equal(enqueued, 3);
  });

  test('a clock that ran ahead and was set back does not delay anything', async () => {
    const processes = openAll(MINUTE);
    await lookAll(processes);
    now += 365 * 24 * 60 * MINUTE;
    await lookAll(processes);
    now -= 365 * 24 * 60 * MINUTE;
    await lookAll(processes);
    const before = enqueued;
    now += 2 * MINUTE;
    await lookAll(processes);
    assert.equal(enqueued, before + 1);
  });

  test('a restart does not cause an extra run', async () => {
    await lookAll(openAll(MINUTE));
    await lookAll(openAll(MINUTE));
    assert.equal(enqueued, 1);
  });

  test('a job on the clock runs at full intervals, whenever it was first started', async () => {
    now = Date.parse('2026-11-16T07:52:10Z');
    const processes = openAll(15 * MINUTE, true);
    await lookAll(processes);
    for (const [time, runs] of [
      ['07:59:59', 1],
      ['08:00:00', 2],
      ['08:14:59', 2],
      ['09:20:00', 3],
      ['09:29:59', 3],
      ['09:30:00', 4],
    ] as const) {
      now = Date.parse(`2026-11-16T${time}Z`);
      await lookAll(processes);
      assert.equal(enqueued, runs, time);
    }
  });

  test('a shorter interval does not wait for the old time', async () => {
    await lookAll(openAll(1_000 * MINUTE));
    const faster = openAll(MINUTE);
    await lookAll(faster);
    now += MINUTE;
    await lookAll(faster);
    assert.equal(enqueued, 2);
  });

  test('an enqueue that fails leaves the job due', async () => {
    const [database] = databases;
    assert.ok(database);
    const failing = createRecurringJobs({ database, clock }, () => Promise.reject(new Error('no')));
    failing.add(sweep, { everyMs: MINUTE });
    await assert.rejects(failing.enqueueDue(), /no/);
    await lookAll(openAll(MINUTE));
    assert.equal(enqueued, 1);
  });

  test('processes that share a database run a recurring job on schedule', async () => {
    const processes = Array.from({ length: engine === 'sqlite' ? 1 : 3 }, () => openTestJobs(store, { clock }));
    let swept = 0;
    for (const jobs of processes) {
      jobs.handle(sweep, async () => void swept++);
      jobs.every(sweep, { everyMs: MINUTE });
      jobs.start();
    }
    try {
      for (const expected of [1, 2, 3]) {
        await waitUntil(`run ${expected}`, () => swept === expected);
        now += MINUTE;
      }
      await waitUntil('run 4', () => swept === 4);
    } finally {
      await Promise.all(processes.map((jobs) => jobs.close()));
    }
    assert.equal(swept, 4);
  });

  test('a recurring job can run before its time, once for everyone who asks meanwhile', async () => {
    const jobs = openTestJobs(store, { clock });
    let swept = 0;
    jobs.handle(sweep, async () => void swept++);
    jobs.every(sweep, { everyMs: MINUTE });
    jobs.start();
    const hastenTwice = () =>
      databases[0]?.transaction(async (tx) => [await jobs.hasten(tx, sweep), await jobs.hasten(tx, sweep)].join());
    try {
      await waitUntil('the first run', () => swept === 1);
      // A run that hasn't quite ended counts as the requested one, so try until another can be queued.
      await waitUntil('the next one waits', async () => (await hastenTwice()) === 'queued,duplicate');
      await waitUntil('the second run', () => swept === 2);
    } finally {
      await jobs.close();
    }
    assert.equal(swept, 2);
  });

  test('a job that needs a payload cannot recur', async () => {
    const jobs = openTestJobs(store);
    const greet = defineJob({ name: 'greet-person', payload: Type.Object({ person: Type.String() }) });
    assert.throws(() => jobs.every(greet, { everyMs: MINUTE }), /does not match its schema/);
    await jobs.close();
  });
});
