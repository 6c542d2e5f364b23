import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestStore, type TestStore } from '../../../test/harness/databases.ts';
import {
  createLog,
  createNewId,
  type Database,
  openDatabase,
  Secret,
  systemClock,
  Type,
} from '../../platform/index.ts';
import { defineJob } from '../job-definition.ts';
import type { JobEngine } from '../job-engine.ts';
import { createPgBossDeadJobs } from './pg-boss-dead-jobs.ts';
import { createPgBossEngine } from './pg-boss-engine.ts';
import { type Ask, listDueQueues } from './pg-boss-rows.ts';

const fetch = defineJob({ name: 'fetch-recording', payload: Type.Object({}) });
const log = createLog({ level: 'silent', secrets: [], shapes: [] });
const newId = createNewId(systemClock);
const MANY = 20_000;
/** A limit on the blocks read. Reading all jobs, even in an index, takes more than a hundred. */
const FEW_BLOCKS = 60;

describe(`the tables of pg-boss with ${MANY} jobs that wait and as many that failed`, () => {
  let store: TestStore;
  let database: Database;
  let engine: JobEngine;

  before(async () => {
    store = await createTestStore('postgresql');
    database = openDatabase(store.settings, () => undefined);
    engine = createPgBossEngine({ url: store.settings.url ?? new Secret(''), log });
    const job = { id: newId(), definition: fetch, payload: {}, key: null, delayMs: 3_600_000, behind: 0 };
    await database.transaction((tx) => engine.enqueue(tx, job));
    await database.run(
      `insert into pgboss.job (id, name, state, singleton_key, start_after, completed_on, priority, policy)
       select gen_random_uuid(), name, cast(kind as pgboss.job_state), kind || n, now() + interval '1 hour' + n * interval '1 s',
              case when kind = 'failed' then now() end, -n, policy
         from pgboss.job, generate_series(1, $1) as n, unnest(array['created', 'failed']) as kinds (kind)`,
      [MANY],
    );
    await database.transaction((tx) => tx.script('analyze pgboss.job'));
  });

  after(async () => {
    await engine.close();
    await database.close();
    await store.remove();
  });

  /** Counts the blocks of 8 KiB that each statement reads. */
  const countBlocks = async (use: (ask: Ask) => Promise<unknown>): Promise<number[]> => {
    const blocks: number[] = [];
    await use(async (text, values = []) => {
      const [row] = await database.all<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values as string[],
      );
      const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
      blocks.push((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0));
      return [];
    });
    return blocks;
  };

  test('are counted exactly, and not counted all the time by pg-boss', async () => {
    const { queued, failed, oldestSeconds } = await engine.count();
    assert.deepEqual({ queued, failed, oldestSeconds }, { queued: MANY + 1, failed: MANY, oldestSeconds: null });
    const counted = await database.get<{ until: number }>(
      'select cast(extract(year from monitor_backoff_on) as int) as until from pgboss.version',
    );
    assert.equal(counted?.until, 9999);
  });

  test('are hardly read to find due jobs, or to list and retry failed ones', async () => {
    const blocks = await countBlocks(async (ask) => {
      const dead = createPgBossDeadJobs(ask);
      await listDueQueues(ask, [fetch.name, 'remove-recording']);
      await dead.list(20);
      await dead.retry((await engine.dead.list(1))[0]?.id ?? '');
    });
    assert.equal(blocks.length, 3);
    assert.deepEqual(
      blocks.filter((count) => count > FEW_BLOCKS),
      [],
    );
  });
});
