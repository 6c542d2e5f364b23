import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../test/harness/jobs.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { Type } from '../platform/index.ts';
import { defineJob } from './index.ts';

const greet = defineJob({ name: 'greet-person', payload: Type.Object({}) });
const patient = defineJob({ ...greet, name: 'greet-later', firstRetryMs: 60_000 });

onEachEngine('unique keys', (engine) => {
  let store: TestStore;
  let jobs: TestJobs;

  beforeEach(async () => {
    store = await createTestStore(engine);
    jobs = openTestJobs(store);
  });

  afterEach(async () => {
    await jobs.close();
    await store.remove();
  });

  const enqueue = (key?: string, job = greet) =>
    jobs.database.transaction((tx) => jobs.enqueue(tx, job, {}, key === undefined ? {} : { key }));
  const countIs = (expected: object) => async () => {
    const { queued, active, failed } = await jobs.count();
    return JSON.stringify({ queued, active, failed }) === JSON.stringify(expected);
  };

  test('a key is unique while its job is queued or running, and free afterward', async () => {
    const release = Promise.withResolvers<void>();
    assert.equal(await enqueue('a'), 'queued');
    assert.equal(await enqueue('a'), 'duplicate');
    assert.equal(await enqueue('b'), 'queued');
    assert.equal(await enqueue('a', patient), 'queued');
    assert.equal(await enqueue(), 'queued');
    assert.equal(await enqueue(), 'queued');
    jobs.handle(greet, () => release.promise);
    jobs.start();
    await waitUntil('they are at work', countIs({ queued: 1, active: 4, failed: 0 }));
    assert.equal(await enqueue('a'), 'duplicate');
    release.resolve();
    await waitUntil('they are done', countIs({ queued: 1, active: 0, failed: 0 }));
    assert.equal(await enqueue('a'), 'queued');
  });

  test('a key stays taken while its job waits for a retry', async () => {
    jobs.handle(patient, async () => {
      throw new Error('no');
    });
    await enqueue('a', patient);
    const { oldestSeconds } = await jobs.count();
    assert.ok(oldestSeconds !== null && oldestSeconds >= 0 && oldestSeconds < 10);
    jobs.start();
    await waitUntil(
      'the job waits',
      async () => (await jobs.count()).oldestSeconds === null && (await countIs({ queued: 1, active: 0, failed: 0 })()),
    );
    assert.equal(await enqueue('a', patient), 'duplicate');
  });

  test('only one of many concurrent enqueues with the same key succeeds', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => enqueue('a')));
    assert.equal(outcomes.filter((outcome) => outcome === 'queued').length, 1);
    assert.equal((await jobs.count()).queued, 1);
  });
});
