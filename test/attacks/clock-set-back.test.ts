// Attack: the clock runs a few hours ahead and is set back. Whatever was scheduled meanwhile would wait for those hours to pass.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { REFRESH_EVERY_MS, refreshDue } from '../../src/integrations/refresh/refresh-due.job.ts';
import { PRUNE_USAGE_EVERY_MS, pruneUsage } from '../../src/integrations/usage/prune-usage.job.ts';
import { defineJob } from '../../src/jobs/index.ts';
import { createRecurringJobs } from '../../src/jobs/recurring-jobs.ts';
import { type Database, openDatabase, Type } from '../../src/platform/index.ts';
import { createTestStore, onEachEngine, type TestStore } from '../harness/databases.ts';
import { openTestJobs } from '../harness/jobs.ts';
import { waitUntil } from '../harness/wait-until.ts';

const AHEAD_MS = 6 * 3_600_000;
const greet = defineJob({ name: 'greet-person', payload: Type.Object({}) });

onEachEngine('a clock that was six hours ahead and is set back', (engine) => {
  let store: TestStore;
  let database: Database;
  let now = 1_700_000_000_000;
  const clock = { now: () => now };

  beforeEach(async () => {
    store = await createTestStore(engine);
    database = openDatabase(store.settings, () => undefined);
  });

  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  test('stops no recurring job, whatever the interval of the others', async () => {
    const runs: string[] = [];
    const recurring = createRecurringJobs({ database, clock }, async (tx, { name }) =>
      tx.afterCommit(() => runs.push(name)),
    );
    recurring.add(refreshDue, { everyMs: REFRESH_EVERY_MS });
    recurring.add(pruneUsage, { everyMs: PRUNE_USAGE_EVERY_MS });
    await recurring.enqueueDue();
    now += AHEAD_MS;
    await recurring.enqueueDue();
    now -= AHEAD_MS;
    await recurring.enqueueDue();
    const before = runs.length;
    now += REFRESH_EVERY_MS;
    await recurring.enqueueDue();
    assert.deepEqual(runs.slice(before), [refreshDue.name]);
  });

  test('holds back no job that was queued before the process started', async () => {
    const jobs = openTestJobs(store, { clock });
    let ran = 0;
    jobs.handle(greet, async () => void ran++);
    now += AHEAD_MS;
    await database.transaction((tx) => jobs.enqueue(tx, greet, {}));
    now -= AHEAD_MS;
    jobs.start();
    try {
      await waitUntil('it ran', () => ran === 1);
    } finally {
      await jobs.close();
    }
  });

  // PostgreSQL uses its own clock for that.
  if (engine === 'sqlite')
    test('holds back no job that failed meanwhile and is retried', async () => {
      const jobs = openTestJobs(store, { clock });
      let ran = 0;
      jobs.handle(greet, async () => {
        if (++ran === 1) throw new Error('not yet');
      });
      now += AHEAD_MS;
      await database.transaction((tx) => jobs.enqueue(tx, greet, {}));
      jobs.start();
      try {
        const isWaiting = async () =>
          (await database.get("select id from jobs where state = 'queued' and attempts = 1")) !== undefined;
        await waitUntil('it failed once', isWaiting);
        now -= AHEAD_MS;
        const isPulledBack = async () =>
          (await database.get('select id from jobs where run_at < $1', [now + AHEAD_MS / 2])) !== undefined;
        await waitUntil('it was pulled back', isPulledBack);
        assert.equal(ran, 1);
        now += 60_000;
        await waitUntil('it ran again', () => ran === 2);
      } finally {
        await jobs.close();
      }
    });
});
