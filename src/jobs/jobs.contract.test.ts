import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../test/harness/jobs.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { Secret, Type } from '../platform/index.ts';
import { Discard, defineJob, type EnqueueOptions } from './index.ts';

const greet = defineJob({
  name: 'greet-person',
  payload: Type.Object({ person: Type.String() }),
  attempts: 3,
  firstRetryMs: 100,
});

onEachEngine('jobs', (engine) => {
  let store: TestStore;
  let jobs: TestJobs;
  let greeted: string[];

  beforeEach(async () => {
    store = await createTestStore(engine);
    jobs = openTestJobs(store);
    greeted = [];
  });

  afterEach(async () => {
    await jobs.close();
    await store.remove();
  });

  const enqueue = (person: string, options?: EnqueueOptions) =>
    jobs.database.transaction((tx) => jobs.enqueue(tx, greet, { person }, options));
  const startGreeting = () => {
    jobs.handle(greet, async ({ person }) => void greeted.push(person));
    jobs.start();
  };
  const countIs = (expected: object) => async () => {
    const { queued, active, failed } = await jobs.count();
    return JSON.stringify({ queued, active, failed }) === JSON.stringify(expected);
  };

  test('a job that was committed runs with its payload and leaves nothing behind', async () => {
    const seen: object[] = [];
    jobs.handle(greet, async (payload, { attempt, jobId, signal }) => {
      seen.push({ payload, attempt, aborted: signal.aborted, id: typeof jobId });
    });
    jobs.start();
    assert.equal(await enqueue('Ada'), 'queued');
    await waitUntil('the job is done', countIs({ queued: 0, active: 0, failed: 0 }));
    assert.deepEqual(seen, [{ payload: { person: 'Ada' }, attempt: 1, aborted: false, id: 'string' }]);
  });

  test('a job is gone if its transaction rolls back', async () => {
    startGreeting();
    const failing = jobs.database.transaction(async (tx) => {
      await jobs.enqueue(tx, greet, { person: 'nobody' });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    await enqueue('Ada');
    await waitUntil('a later job is done', () => greeted.length > 0);
    assert.deepEqual(greeted, ['Ada']);
    assert.equal((await jobs.count()).queued, 0);
  });

  test('nobody sees a job before its transaction commits', async () => {
    startGreeting();
    await enqueue('first');
    await waitUntil('the worker works', () => greeted.length === 1);
    await waitUntil('nothing is left', countIs({ queued: 0, active: 0, failed: 0 }));
    const commit = Promise.withResolvers<void>();
    const enqueued = Promise.withResolvers<void>();
    const work = jobs.database.transaction(async (tx) => {
      await jobs.enqueue(tx, greet, { person: 'second' });
      enqueued.resolve();
      await commit.promise;
    });
    await enqueued.promise;
    const seen = await jobs.count();
    commit.resolve();
    await work;
    assert.deepEqual(seen, { queued: 0, active: 0, failed: 0, oldestSeconds: null });
    await waitUntil('the second job is done', () => greeted.length === 2);
  });

  test('a commit wakes the worker of its process without waiting for the next poll', async () => {
    const sleepy = openTestJobs(store, { pollMs: 3_600_000 });
    sleepy.handle(greet, async ({ person }) => void greeted.push(person));
    sleepy.start();
    try {
      for (const [index, person] of ['Ada', 'Grace'].entries()) {
        await sleepy.database.transaction((tx) => sleepy.enqueue(tx, greet, { person }));
        await waitUntil(`${person} is greeted`, () => greeted.length === index + 1);
      }
    } finally {
      await sleepy.close();
    }
  });

  test('a job that another process enqueued is found by polling', async () => {
    startGreeting();
    const other = openTestJobs(store);
    await other.database.transaction((tx) => other.enqueue(tx, greet, { person: 'Ada' }));
    await other.close();
    await waitUntil('the job is done', () => greeted.length === 1);
  });

  test('waiting jobs with the fewest before them come first', async () => {
    const one = defineJob({ ...greet, name: 'greet-alone', concurrency: 1 });
    const enqueueBehind = (person: string, behind: number) =>
      jobs.database.transaction((tx) => jobs.enqueue(tx, one, { person }, { behind }));
    for (const [person, behind] of Object.entries({ Ada: 0, Grace: 1, Edith: 2 })) await enqueueBehind(person, behind);
    await enqueueBehind('Joan', 0);
    jobs.handle(one, async ({ person }) => void greeted.push(person));
    jobs.start();
    await waitUntil('all are greeted', () => greeted.length === 4);
    assert.deepEqual(greeted, ['Ada', 'Joan', 'Grace', 'Edith']);
  });

  test('a delayed job waits for its time', async () => {
    startGreeting();
    await enqueue('Ada', { delayMs: 60_000 });
    const { queued, oldestSeconds } = await jobs.count();
    assert.deepEqual({ queued, oldestSeconds }, { queued: 1, oldestSeconds: null });
    await enqueue('Grace');
    await waitUntil('a later one is done', () => greeted.length === 1);
    assert.deepEqual(greeted, ['Grace']);
    // Moves the jobs' times, as if a minute had passed.
    assert.equal(await jobs.database.run("update jobs set run_at = run_at - 60000 where state = 'queued'"), 1);
    await waitUntil('the job is done', () => greeted.length === 2);
  });

  test('a payload that does not match its schema is rejected, and so are extra fields', async () => {
    const token = { person: 'Ada', token: 'x' };
    for (const payload of [{ person: 7 }, {}, token, { person: new Secret('x') }]) {
      const refused = jobs.database.transaction((tx) => jobs.enqueue(tx, greet, payload as { person: string }));
      await assert.rejects(refused, /does not match its schema/);
    }
    assert.equal((await jobs.count()).queued, 0);
  });

  test('a job that throws is retried with growing delays until its attempts are used up', async () => {
    const at: { attempt: number; ms: number }[] = [];
    jobs.handle(greet, async (_payload, { attempt }) => {
      at.push({ attempt, ms: performance.now() });
      throw new Error(`no ${attempt}`);
    });
    jobs.start();
    await enqueue('Ada');
    await waitUntil('the job is dead', countIs({ queued: 0, active: 0, failed: 1 }));
    const [first, second, third] = at.map(({ ms }) => ms);
    assert.deepEqual(
      at.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
    assert.ok((second ?? 0) - (first ?? 0) >= 45, 'the second attempt came too soon');
    assert.ok((third ?? 0) - (second ?? 0) >= 95, 'the third attempt came too soon');
    const [dead] = await jobs.listDead(10);
    assert.equal(dead?.lastError, 'no 3');
    assert.equal(dead?.attempts, 3);
    assert.deepEqual(dead?.payload, { person: 'Ada' });
    assert.ok((dead?.diedAt ?? 0) >= (dead?.createdAt ?? Number.POSITIVE_INFINITY));
  });

  test('a discarded job fails at once, with its reason', async () => {
    jobs.handle(greet, async () => {
      throw new Discard('The person is gone.');
    });
    jobs.start();
    await enqueue('Ada');
    await waitUntil('the job is dead', countIs({ queued: 0, active: 0, failed: 1 }));
    const [dead] = await jobs.listDead(10);
    assert.deepEqual([dead?.attempts, dead?.lastError], [1, 'The person is gone.']);
  });
});
