import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createTestStore, type TestStore } from '../../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../../test/harness/jobs.ts';
import { startProcess } from '../../../test/harness/jobs-process.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { Type } from '../../platform/index.ts';
import { defineJob } from '../index.ts';

const greet = defineJob({ name: 'greet-person', payload: Type.Object({}) });

describe('a queue that several processes share', () => {
  let store: TestStore;
  let opened: TestJobs[];

  beforeEach(async () => {
    store = await createTestStore('postgresql');
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map((jobs) => jobs.close()));
    await store.remove();
  });

  const open = (overrides: Parameters<typeof openTestJobs>[1] = {}): TestJobs => {
    const jobs = openTestJobs(store, overrides);
    opened.push(jobs);
    return jobs;
  };

  test('two processes share the work, and each job runs once', async () => {
    const jobs = open();
    await jobs.database.transaction(async (tx) => {
      for (let job = 0; job < 100; job++) await jobs.enqueue(tx, greet, {});
    });
    const done: string[] = [];
    const atWork = new Set<TestJobs>();
    const bothAtWork = Promise.withResolvers<void>();
    for (const worker of [open(), open()]) {
      worker.handle(greet, async (_payload, { jobId }) => {
        if (atWork.add(worker).size === 2) bothAtWork.resolve();
        await bothAtWork.promise;
        done.push(jobId);
      });
      worker.start();
    }
    await waitUntil('none is left', async () => {
      const { queued, active } = await jobs.count();
      return queued + active === 0;
    });
    assert.equal(done.length, 100);
    assert.equal(new Set(done).size, 100);
  });

  test('a command that only enqueues exits by itself', async () => {
    const command = startProcess('command', store.settings);
    try {
      await waitUntil('it has ended', () => !command.isRunning(), 30_000);
    } finally {
      await command.end('SIGKILL');
    }
    assert.equal(command.exitCode(), 0);
    assert.equal((await open().count()).queued, 1);
  });

  test('a job that was taken away while running is aborted, and runs again elsewhere', async () => {
    const told: string[] = [];
    const signals: AbortSignal[] = [];
    const jobs = open({ onFinished: (_name, outcome) => told.push(outcome) });
    jobs.handle(greet, (_payload, { signal }) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : Promise.resolve();
    });
    jobs.start();
    await jobs.database.transaction((tx) => jobs.enqueue(tx, greet, {}));
    await waitUntil('it is at work', () => signals.length === 1);
    await jobs.database.run("update jobs set state = 'queued'");
    await waitUntil('both attempts are over', () => told.length === 2);
    assert.deepEqual(told.sort(), ['completed', 'lost']);
    assert.equal(signals[0]?.aborted, true);
  });
});
