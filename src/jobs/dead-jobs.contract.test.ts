import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../test/harness/jobs.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { Type } from '../platform/index.ts';
import { defineJob } from './index.ts';
import { jobCommands } from './job-commands.ts';

const greet = defineJob({
  name: 'greet-person',
  payload: Type.Object({ person: Type.String() }),
  attempts: 2,
  firstRetryMs: 1,
});

onEachEngine('dead jobs', (engine) => {
  let store: TestStore;
  let jobs: TestJobs;
  let failure: Error | null;
  let tried: string[];

  beforeEach(async () => {
    store = await createTestStore(engine);
    jobs = openTestJobs(store);
    failure = new Error('no');
    tried = [];
    jobs.handle(greet, async ({ person }, { attempt }) => {
      tried.push(`${person} ${attempt}`);
      if (failure) throw failure;
    });
    jobs.start();
  });

  afterEach(async () => {
    await jobs.close();
    await store.remove();
  });

  const enqueue = (person: string, key?: string) =>
    jobs.database.transaction((tx) => jobs.enqueue(tx, greet, { person }, key === undefined ? {} : { key }));
  const die = async (person: string, key?: string) => {
    const { failed } = await jobs.count();
    await enqueue(person, key);
    await waitUntil(`${person} is dead`, async () => (await jobs.count()).failed === failed + 1);
  };
  const dead = async () => (await jobs.listDead(10)).map(({ payload }) => (payload as { person: string }).person);

  test('are listed newest first, up to a limit', async () => {
    for (const person of ['Ada', 'Grace', 'Joan']) await die(person);
    assert.deepEqual(await dead(), ['Joan', 'Grace', 'Ada']);
    assert.equal((await jobs.listDead(2)).length, 2);
  });

  test('have a last error of one short line, whatever was thrown', async () => {
    failure = new Error(`\u0000first\nsecond ${'x'.repeat(2_000)}`);
    await die('Ada');
    const [dead] = await jobs.listDead(1);
    assert.match(dead?.lastError ?? '', /^first second x{487}$/);
  });

  test('are listed on the command line with times in ISO 8601', async () => {
    await die('Ada');
    const command = jobCommands(async () => ({ jobs })).find(({ name }) => name === 'jobs dead');
    const told = await command?.run({ words: [], options: {}, json: false, progress: () => undefined });
    assert.match(JSON.stringify(told?.json), /"createdAt":"\d{4}-[\d-]+T[\d:.]+Z","diedAt":"\d{4}-[\d-]+T[\d:.]+Z"/);
  });

  test('can be retried by id, with all their attempts', async () => {
    await die('Ada');
    await die('Grace');
    const [{ id } = { id: '' }] = await jobs.listDead(1);
    tried = [];
    assert.equal(await jobs.retryDead(id), 1);
    await waitUntil('it is dead again', async () => (await jobs.count()).failed === 2);
    assert.deepEqual(tried, ['Grace 1', 'Grace 2']);
  });

  test('can all be retried at once', async () => {
    await die('Ada');
    await die('Grace');
    failure = null;
    assert.equal(await jobs.retryDead('all'), 2);
    await waitUntil('none is left', async () => {
      const { queued, active, failed } = await jobs.count();
      return queued + active + failed === 0;
    });
    assert.deepEqual(await dead(), []);
  });

  test('a job that is unknown or not dead is not retried', async () => {
    assert.equal(await jobs.retryDead('00000000-0000-7000-8000-000000000000'), 0);
    assert.equal(await jobs.retryDead('no id at all'), 0);
  });

  test('a dead job frees its key, and cannot be retried while another job has it', async () => {
    await die('Ada', 'a');
    await die('Grace', 'a');
    failure = null;
    await jobs.database.transaction((tx) => jobs.enqueue(tx, greet, { person: 'Joan' }, { key: 'a', delayMs: 60_000 }));
    assert.equal(await jobs.retryDead('all'), 0);
    assert.deepEqual(await dead(), ['Grace', 'Ada']);
  });

  test('only one of two dead jobs with the same key is retried', async () => {
    await die('Ada', 'a');
    await die('Grace', 'a');
    await jobs.stop({ drainMs: 1_000 });
    const other = openTestJobs(store);
    assert.equal(await other.retryDead('all'), 1);
    assert.equal((await other.count()).queued, 1);
    await other.close();
  });
});
