import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../test/harness/jobs.ts';
import { startStopwatch } from '../../test/harness/start-stopwatch.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { Type } from '../platform/index.ts';
import { defineJob, type JobsContext } from './index.ts';
import type { JobDefinition } from './job-definition.ts';

const greet = defineJob({
  name: 'greet-person',
  payload: Type.Object({ person: Type.Integer() }),
  attempts: 2,
  firstRetryMs: 1,
  concurrency: 2,
  timeoutMs: 10_000,
});
const hurried = defineJob({ ...greet, name: 'greet-hurriedly', timeoutMs: 50, concurrency: 1 });

const forever = (): Promise<void> => new Promise(() => undefined);

onEachEngine('worker', (engine) => {
  let store: TestStore;
  let opened: TestJobs[];

  beforeEach(async () => {
    store = await createTestStore(engine);
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map((jobs) => jobs.close()));
    await store.remove();
  });

  const open = (overrides: Partial<JobsContext> = {}): TestJobs => {
    const jobs = openTestJobs(store, overrides);
    opened.push(jobs);
    return jobs;
  };
  const enqueue = (jobs: TestJobs, people: number, job: JobDefinition<typeof greet.payload.properties> = greet) =>
    jobs.database.transaction(async (tx) => {
      for (let person = 1; person <= people; person++) await jobs.enqueue(tx, job, { person });
    });

  test('no more jobs run at once than the definition allows, and all get their turn', async () => {
    const jobs = open();
    const steps: PromiseWithResolvers<void>[] = [];
    let atWork = 0;
    let most = 0;
    jobs.handle(greet, async () => {
      const step = Promise.withResolvers<void>();
      steps.push(step);
      most = Math.max(most, ++atWork);
      await step.promise;
      atWork--;
    });
    jobs.start();
    await enqueue(jobs, 7);
    for (let done = 0; done < 7; done++) {
      await waitUntil('the next is at work', () => steps.length === Math.min(7, done + 2));
      steps[done]?.resolve();
    }
    await waitUntil('all are done', () => atWork === 0);
    assert.equal(most, 2);
  });

  test('a handler that ignores its signal still times out, and frees its slot', async () => {
    const jobs = open();
    const signals: AbortSignal[] = [];
    jobs.handle(hurried, ({ person }, { signal }) => {
      signals.push(signal);
      return person === 1 ? forever() : Promise.resolve();
    });
    jobs.start();
    await enqueue(jobs, 2, hurried);
    await waitUntil('one is dead and none is left', async () => {
      const { queued, active, failed } = await jobs.count();
      return failed === 1 && queued + active === 0;
    });
    const [dead] = await jobs.listDead(10);
    assert.deepEqual([dead?.attempts, dead?.lastError], [2, 'The job did not finish within 50 ms.']);
    assert.equal(signals.filter(({ aborted }) => aborted).length, 2);
    assert.equal(signals.length, 3);
  });

  test('stopping lets running jobs finish and takes no more', async () => {
    const jobs = open();
    const step = Promise.withResolvers<void>();
    const started: number[] = [];
    jobs.handle(greet, async ({ person }) => {
      started.push(person);
      await step.promise;
    });
    jobs.start();
    await enqueue(jobs, 3);
    await waitUntil('two are at work', () => started.length === 2);
    const stopped = jobs.stop({ drainMs: 10_000 });
    step.resolve();
    await stopped;
    assert.equal(started.length, 2);
    const { queued, active } = await open().count();
    assert.deepEqual({ queued, active }, { queued: 1, active: 0 });
  });

  test('stopping takes no more, even if the worker was just about to', async () => {
    const [reading, released, step] = [1, 2, 3].map(() => Promise.withResolvers<null>());
    let isHeld = false;
    const read = async (): Promise<null> => {
      if (isHeld) reading?.resolve(null);
      return isHeld ? (released?.promise ?? null) : null;
    };
    const jobs = open({ pause: { read } });
    const started: number[] = [];
    jobs.handle(greet, async ({ person }) => {
      started.push(person);
      await step?.promise;
    });
    jobs.start();
    await enqueue(jobs, 3);
    await waitUntil('two are at work', () => started.length === 2);
    isHeld = true;
    await reading?.promise;
    const stopped = jobs.stop({ drainMs: 10_000 });
    step?.resolve(null);
    await waitUntil('both are done', async () => (await jobs.count()).active === 0);
    released?.resolve(null);
    await stopped;
    assert.equal(started.length, 2);
  });

  test('a job that does not finish in time is aborted, and runs again elsewhere without losing an attempt', async () => {
    const jobs = open();
    const signals: AbortSignal[] = [];
    const outcomes: string[] = [];
    const once = defineJob({ ...greet, name: 'greet-once', attempts: 1 });
    jobs.handle(once, (_payload, { signal }) => {
      signals.push(signal);
      return forever();
    });
    jobs.start();
    await enqueue(jobs, 1, once);
    await waitUntil('it is at work', () => signals.length === 1);
    const readMs = startStopwatch();
    await jobs.stop({ drainMs: 50 });
    assert.ok(readMs() < 3_000);
    assert.equal(signals[0]?.aborted, true);

    const elsewhere = open({ onFinished: (name, outcome) => outcomes.push(`${name} ${outcome}`) });
    const attempts: number[] = [];
    elsewhere.handle(once, async (_payload, { attempt }) => void attempts.push(attempt));
    elsewhere.start();
    await waitUntil('it is done', () => outcomes.length === 1);
    assert.deepEqual(outcomes, ['greet-once completed']);
    assert.deepEqual(attempts, [1]);
  });

  test('a job whose payload no longer matches its definition fails for good', async () => {
    const older = defineJob({ ...greet, payload: Type.Object({ person: Type.String() }) });
    const jobs = open();
    await jobs.database.transaction((tx) => jobs.enqueue(tx, older, { person: 'Ada' }));
    jobs.handle(greet, async () => assert.fail('it must not run'));
    jobs.start();
    await waitUntil('it is dead', async () => (await jobs.count()).failed === 1);
    assert.match((await jobs.listDead(1))[0]?.lastError ?? '', /does not match its schema: \/person must be integer/);
  });

  test('the end of every attempt is reported, with its duration', async () => {
    const told: string[] = [];
    const jobs = open({ onFinished: (name, outcome, ms) => told.push(`${name} ${outcome} ${ms >= 0 && ms < 5_000}`) });
    jobs.handle(greet, async ({ person }) => {
      if (person === 2) throw new Error('no');
    });
    jobs.start();
    await enqueue(jobs, 2);
    await waitUntil('all is told', () => told.length === 3);
    assert.deepEqual(told.sort(), [
      'greet-person completed true',
      'greet-person dead true',
      'greet-person retried true',
    ]);
  });
});
