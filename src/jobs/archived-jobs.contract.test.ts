import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../test/harness/jobs.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { applyMigrations, openLoader, openSnapshot, type ScannedRow, systemClock, Type } from '../platform/index.ts';
import { ARCHIVED_JOBS, defineJob, readArchivedJobs } from './index.ts';

const shape = { payload: Type.Object({ person: Type.String(), at: Type.Integer() }), attempts: 2, firstRetryMs: 1 };
const greet = defineJob({ name: 'greet-person', ...shape });
const visit = defineJob({ name: 'visit-person', ...shape });
const recall = defineJob({ name: 'recall-person', ...shape, attempts: 5, firstRetryMs: 600_000 });

onEachEngine('archived jobs', (engine) => {
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

  const readRows = async ({ settings }: TestStore): Promise<ScannedRow[]> => {
    const snapshot = await openSnapshot(settings);
    const found: ScannedRow[] = [];
    for await (const rows of readArchivedJobs(snapshot)) found.push(...rows);
    await snapshot.close();
    return found;
  };

  const read = async (): Promise<Record<string, unknown>[]> => {
    const names = Object.keys(ARCHIVED_JOBS.columns);
    return (await readRows(store)).map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
  };

  /** Loads all jobs into a new database of the other engine, which has nothing else. */
  const load = async (): Promise<TestStore> => {
    const target = await createTestStore(engine === 'sqlite' ? 'postgresql' : 'sqlite', { migrated: false });
    const loader = await openLoader(target.settings);
    await applyMigrations(loader.tx, systemClock);
    await loader.insert(ARCHIVED_JOBS.name, Object.keys(ARCHIVED_JOBS.columns), await readRows(store));
    await loader.commit();
    await loader.close();
    return target;
  };

  /** Checks that the jobs have the same content and keys on the other engine, and continue to count their attempts. */
  const expectSameElsewhere = async (): Promise<void> => {
    const target = await load();
    const elsewhere = openTestJobs(target);
    try {
      const byId = (rows: readonly ScannedRow[]) =>
        rows.toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1));
      assert.deepEqual(byId(await readRows(target)), byId(await readRows(store)));
      const attempts: number[] = [];
      elsewhere.handle(visit, async (_payload, { attempt }) => void attempts.push(attempt));
      const { promise: retried, resolve } = Promise.withResolvers<number>();
      elsewhere.handle(recall, async (_payload, { attempt }) => resolve(attempt));
      const again = await elsewhere.database.transaction((tx) =>
        elsewhere.enqueue(tx, greet, { person: 'Joan', at: 5 }, { key: 'joan' }),
      );
      assert.equal(again, 'duplicate');
      await elsewhere.database.run(`update jobs set run_at = 1 where name = '${recall.name}'`);
      elsewhere.start();
      assert.equal(await retried, 2);
      await waitUntil('the one that was running has run', () => attempts.length === 1);
      assert.deepEqual(attempts, [1]);
      assert.equal((await elsewhere.count()).failed, 1);
    } finally {
      await elsewhere.close();
      await target.remove();
    }
  };

  test('are none in a new database', async () => assert.deepEqual(await read(), []));

  test('say the same on both engines: waiting, running, to be tried again, and failed', async () => {
    const begun = Date.now();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    jobs.handle(visit, ({ person }) => (person === 'Ada' ? ended : Promise.reject(new Error('no'))));
    jobs.handle(recall, async () => Promise.reject(new Error('busy')));
    await jobs.database.transaction(async (tx) => {
      await jobs.enqueue(tx, greet, { person: 'Joan', at: 1 }, { delayMs: 60_000, key: 'joan', behind: 3 });
      await jobs.enqueue(tx, visit, { person: 'Ada', at: 2 });
      await jobs.enqueue(tx, visit, { person: 'Grace', at: 3 });
      await jobs.enqueue(tx, recall, { person: 'Mary', at: 4 });
    });
    jobs.start();
    const isSettled = async () => {
      const { active, failed, queued } = await jobs.count();
      return active === 1 && failed === 1 && queued === 2;
    };
    await waitUntil('one is running, one has failed, two wait', isSettled);
    const found = new Map((await read()).map((job) => [JSON.parse(String(job['payload'])).person, job]));
    await expectSameElsewhere();
    end();

    const pick = (person: string, ...names: string[]) => names.map((name) => found.get(person)?.[name]);
    const STATE = ['name', 'state', 'attempts', 'attempts_allowed', 'unique_key', 'behind', 'last_error'];
    assert.deepEqual(pick('Joan', ...STATE), ['greet-person', 'queued', 0, 2, 'joan', 3, null]);
    assert.deepEqual(pick('Ada', ...STATE), ['visit-person', 'queued', 0, 2, null, 0, null]);
    assert.deepEqual(pick('Grace', ...STATE), ['visit-person', 'dead', 2, 2, null, 0, 'no']);
    assert.deepEqual(pick('Mary', ...STATE), ['recall-person', 'queued', 1, 5, null, 0, 'busy']);
    assert.deepEqual(pick('Joan', 'payload', 'taken_at', 'died_at'), ['{"at":1,"person":"Joan"}', null, null]);
    assert.deepEqual(pick('Ada', 'taken_at', 'died_at'), [null, null]);
    const isNear = (value: unknown, ms: number): boolean => Math.abs(Number(value) - begun - ms) < 30_000;
    assert.ok(isNear(found.get('Joan')?.['run_at'], 60_000));
    // The wait is shortened by up to half at random.
    const retryMs = Number(found.get('Mary')?.['run_at']) - begun;
    assert.ok(retryMs >= 300_000 && retryMs <= 630_000, `${retryMs}`);
    for (const [person, name] of [
      ['Joan', 'created_at'],
      ['Grace', 'died_at'],
      ['Mary', 'taken_at'],
    ] as const)
      assert.ok(isNear(found.get(person)?.[name], 0), `${person} ${name}`);
  });
});
