import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createTestStore, type TestStore } from '../../../test/harness/databases.ts';
import { openTestJobs, type TestJobs } from '../../../test/harness/jobs.ts';
import { addPgBossJob, installPgBoss, type PgBossJob } from '../../../test/harness/pg-boss.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { openSnapshot, systemClock, Type } from '../../platform/index.ts';
import { defineJob, readArchivedJobs } from '../index.ts';
import { PROCESS_ENDED } from '../job-engine.ts';
import { createTableEngine } from './table-engine.ts';

const greet = defineJob({ name: 'greet-person', payload: Type.Object({ person: Type.String() }) });
const visit = defineJob({ ...greet, name: 'visit-person' });
/** More than one step carries over. */
const MANY = 1_200;

const idOf = (number: number): string => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const ADA: PgBossJob = { id: idOf(1), name: greet.name, person: 'Ada', state: 'created' };

describe('the jobs that an earlier version left with pg-boss', () => {
  let store: TestStore;
  let jobs: TestJobs;

  beforeEach(async () => {
    store = await createTestStore('postgresql');
    jobs = openTestJobs(store);
    await installPgBoss(jobs.database, [greet.name, visit.name]);
  });

  afterEach(async () => {
    await jobs.close();
    await store.remove();
  });

  const add = (...list: PgBossJob[]) => Promise.all(list.map((job) => addPgBossJob(jobs.database, job)));
  const carryOver = async (): Promise<void> => {
    const engine = createTableEngine({ database: jobs.database, clock: systemClock });
    while (await engine.upkeep());
  };
  const countLeft = async (): Promise<number> =>
    (await jobs.database.get<{ left: number }>('select count(*) as left from pgboss.job'))?.left ?? 0;
  const list = () =>
    jobs.database.all<Record<string, unknown>>(
      `select id, name, payload, unique_key, state, attempts, attempts_allowed, run_at, died_at, last_error, behind
         from jobs order by id`,
    );

  test('keep their times, keys, attempts, and errors, whether they wait or have failed', async () => {
    await add(
      { ...ADA, key: 'ada', behind: 3, startsIn: 3_600 },
      { ...ADA, id: idOf(2), person: 'Mary', state: 'retry', takenAgo: 60, retries: 1, output: { message: 'busy' } },
      {
        ...ADA,
        id: idOf(3),
        person: 'Edith',
        state: 'failed',
        takenAgo: 90,
        failedAgo: 86_400,
        retries: 2,
        output: { message: 'no' },
      },
      {
        ...ADA,
        id: idOf(4),
        person: 'Joan',
        state: 'failed',
        takenAgo: 90,
        failedAgo: 60,
        attempts: 1,
        output: { value: { message: 'job heartbeat timeout' } },
      },
    );
    await carryOver();
    const rows = await list();
    const now = Date.now();
    const pick = (...names: string[]) => rows.map((row) => names.map((name) => row[name]));
    assert.deepEqual(pick('state', 'attempts', 'attempts_allowed', 'unique_key', 'behind', 'last_error'), [
      ['queued', 0, 3, 'ada', 3, null],
      ['queued', 2, 3, null, 0, 'busy'],
      ['dead', 3, 3, null, 0, 'no'],
      ['dead', 1, 1, null, 0, PROCESS_ENDED],
    ]);
    assert.deepEqual(
      rows.map(({ payload }) => JSON.parse(String(payload)).person),
      ['Ada', 'Mary', 'Edith', 'Joan'],
    );
    const isNear = (value: unknown, ms: number): boolean => Math.abs(Number(value) - now - ms) < 60_000;
    assert.ok(isNear(rows[0]?.['run_at'], 3_600_000));
    assert.ok(isNear(rows[2]?.['died_at'], -86_400_000));
    assert.equal(await countLeft(), 0);
  });

  test('run, each once, however many there are and however many processes start', async () => {
    await jobs.database.run(
      `insert into pgboss.job (id, name, data, singleton_key, start_after, policy, heartbeat_seconds, deletion_seconds)
       select gen_random_uuid(), $1, '{"person":"Ada"}', 'key' || n, now(), 'exclusive', 10, 2592000
         from generate_series(1, $2) as n`,
      [greet.name, MANY],
    );
    const ran: string[] = [];
    const processes = [jobs, openTestJobs(store)];
    for (const one of processes) {
      one.handle(greet, async (_payload, { jobId }) => void ran.push(jobId));
      one.start();
    }
    await waitUntil('all ran', async () => ran.length >= MANY && (await jobs.count()).active === 0);
    await processes[1]?.close();
    assert.equal(ran.length, MANY);
    assert.equal(new Set(ran).size, MANY);
    assert.equal(await countLeft(), 0);
  });

  test('are left to a process of that version while it runs them, and carried over when it gives them back', async () => {
    await add({ ...ADA, state: 'active', takenAgo: 1 });
    await carryOver();
    assert.deepEqual([await countLeft(), (await list()).length], [1, 0]);
    await jobs.database.run("update pgboss.job set state = 'retry', heartbeat_on = null");
    await carryOver();
    assert.deepEqual([await countLeft(), (await list()).length], [0, 1]);
  });

  test('count the attempt of a process that was silent for ten seconds', async () => {
    await add(
      { ...ADA, state: 'active', takenAgo: 11 },
      { ...ADA, id: idOf(2), name: visit.name, state: 'active', takenAgo: 11, retries: 2 },
    );
    await carryOver();
    const rows = (await list()).map(({ state, attempts, last_error }) => [state, attempts, last_error]);
    assert.deepEqual(rows, [
      ['queued', 1, PROCESS_ENDED],
      ['dead', 3, PROCESS_ENDED],
    ]);
  });

  test('are carried over even if they are added later', async () => {
    const ran: string[] = [];
    jobs.handle(greet, async ({ person }) => void ran.push(person));
    jobs.start();
    await add(ADA);
    await waitUntil('the first ran', () => ran.length === 1);
    await add({ ...ADA, id: idOf(2), person: 'Grace' });
    await waitUntil('the second ran', () => ran.length === 2);
    assert.deepEqual(ran, ['Ada', 'Grace']);
  });

  test('wait for a job with the same key, and are not lost', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const ran: string[] = [];
    jobs.handle(greet, async ({ person }) => {
      ran.push(person);
      if (person === 'Joan') await ended;
    });
    await jobs.database.transaction((tx) => jobs.enqueue(tx, greet, { person: 'Joan' }, { key: 'same' }));
    await add({ ...ADA, key: 'same' });
    await carryOver();
    assert.equal(await countLeft(), 1);
    jobs.start();
    end();
    await waitUntil('both ran', () => ran.length === 2);
    assert.deepEqual(ran, ['Joan', 'Ada']);
    await waitUntil('none is left', async () => (await countLeft()) === 0);
  });

  test('are not those of another program that uses pg-boss in the same database', async () => {
    await jobs.database.run("insert into pgboss.job (name, policy) values ($1, 'standard')", [greet.name]);
    await add(ADA);
    await carryOver();
    assert.deepEqual([await countLeft(), (await list()).length], [1, 1]);
    await jobs.database.run('alter table pgboss.job drop column heartbeat_seconds');
    await carryOver();
    assert.equal(await countLeft(), 1);
  });

  test('are in a backup that is made before they are carried over', async () => {
    await add(ADA);
    await jobs.database.transaction((tx) => jobs.enqueue(tx, visit, { person: 'Grace' }));
    const snapshot = await openSnapshot(store.settings);
    const names: unknown[] = [];
    for await (const rows of readArchivedJobs(snapshot)) names.push(...rows.map(([, name]) => name));
    await snapshot.close();
    assert.deepEqual(names.sort(), [greet.name, visit.name]);
  });
});
