import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { type Database, openDatabase, systemClock, Type } from '../platform/index.ts';
import { createTableEngine } from './engine/table-engine.ts';
import { defineJob } from './job-definition.ts';
import type { JobEngine, TakenJob } from './job-engine.ts';

const greet = defineJob({ name: 'greet-person', payload: Type.Object({}), attempts: 5 });
const idOf = (number: number): string => `01890000-0000-7000-8000-00000000000${number}`;

onEachEngine('job engine', (engine) => {
  let store: TestStore;
  let database: Database;
  let jobs: JobEngine;

  beforeEach(async () => {
    store = await createTestStore(engine);
    database = openDatabase(store.settings, () => undefined);
    jobs = createTableEngine({ database, clock: systemClock });
    await database.transaction((tx) =>
      jobs.enqueue(tx, { id: idOf(1), definition: greet, payload: {}, key: null, delayMs: 0, behind: 0 }),
    );
  });

  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  const take = async (): Promise<TakenJob> => {
    for await (const job of jobs.take([{ name: greet.name, room: 1 }])) return job;
    return assert.fail('there was nothing to take');
  };
  /** Takes the job away, as if the process that holds it had stopped responding. */
  const takeAway = async (): Promise<void> => {
    await database.run("update jobs set heartbeat_at = heartbeat_at - 11000 where state = 'active'");
    await jobs.begin();
  };

  const settlings: Record<string, (held: TakenJob) => Promise<unknown>> = {
    completed: (held) => jobs.complete(held),
    retried: (held) => jobs.retry(held, 0, 'no'),
    buried: (held) => jobs.bury(held, 'no'),
    released: (held) => jobs.release(held),
  };
  for (const [outcome, settle] of Object.entries(settlings)) {
    test(`a job that was taken again cannot be ${outcome} by its previous holder`, async () => {
      const before = await take();
      await takeAway();
      const now = await take();
      assert.deepEqual([before.attempt, now.attempt], [1, 2]);
      await settle(before);
      const { queued, active, failed } = await jobs.count();
      assert.deepEqual({ queued, active, failed }, { queued: 0, active: 1, failed: 0 });
      await settle(now);
      assert.equal((await jobs.count()).active, 0);
    });
  }

  test('a job that was given back does not count the attempt, even the second time', async () => {
    await jobs.retry(await take(), 0, 'no');
    await jobs.release(await take());
    assert.equal((await take()).attempt, 2);
  });

  test('a heartbeat returns the jobs that are no longer held', async () => {
    const { heartbeat } = jobs;
    if (!heartbeat) return assert.equal(engine, 'sqlite');
    const held = await take();
    assert.deepEqual(await heartbeat.touch([held]), []);
    await takeAway();
    assert.deepEqual(await heartbeat.touch([held]), [held]);
    const now = await take();
    assert.deepEqual(await heartbeat.touch([held]), [held], 'Another process has it now.');
    assert.deepEqual(await heartbeat.touch([now]), []);
  });

  test('what waits or has failed can be forgotten by its payload, and what is running stays', async () => {
    const add = (id: number, person: string, delayMs = 0) =>
      database.transaction((tx) =>
        jobs.enqueue(tx, { id: idOf(id), definition: greet, payload: { person }, key: null, delayMs, behind: id }),
      );
    await add(2, 'Ada');
    await add(3, 'Ada');
    await add(4, 'Ada', 60_000);
    await add(5, 'Grace', 60_000);
    await jobs.complete(await take());
    await jobs.bury(await take(), 'no');
    const running = await take();
    await jobs.forget('person', 'Ada');
    const { queued, active, failed } = await jobs.count();
    assert.deepEqual({ queued, active, failed }, { queued: 1, active: 1, failed: 0 });
    await jobs.retry(running, 0, 'no');
    assert.deepEqual((await take()).payload, { person: 'Ada' });
  });
});
