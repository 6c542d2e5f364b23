import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestStore, type TestStore } from '../../../test/harness/databases.ts';
import { postgresqlRowTable } from '../../platform/database/row-table.ts';
import { createNewId, type Database, openDatabase, type RowTable, systemClock, Type } from '../../platform/index.ts';
import { defineJob } from '../job-definition.ts';
import type { JobEngine, TakenJob } from '../job-engine.ts';
import { createTableEngine } from './table-engine.ts';

const fetch = defineJob({ name: 'fetch-recording', payload: Type.Object({}) });
const newId = createNewId(systemClock);
const MANY = 20_000;
/** A limit on the blocks read. Reading all jobs, even in an index, takes more than a hundred. */
const FEW_BLOCKS = 60;

describe(`the queue on PostgreSQL with ${MANY} jobs that wait, as many that are ready, and as many that failed`, () => {
  let store: TestStore;
  let database: Database;
  let engine: JobEngine;
  let blocks: Map<string, number>;

  before(async () => {
    store = await createTestStore('postgresql');
    database = openDatabase(store.settings, () => undefined);
    blocks = new Map();
    engine = createTableEngine({ database: countBlocks(database), clock: systemClock });
    // The statements of an empty table are used first, as after a quiet night.
    await database.run('vacuum analyze jobs');
    await useAll();
    await database.run(
      `insert into jobs (id, name, payload, state, attempts, attempts_allowed, created_at, run_at, died_at, behind, ready)
       select kind || n, case kind when 'ready' then 'remove-recording' else $1 end, '{}',
              case kind when 'dead' then 'dead' else 'queued' end, 0, 8, 0,
              case kind when 'waiting' then 4000000000000 + n else n end,
              case kind when 'dead' then 4000000000000 + n end, n % 100, case kind when 'ready' then 1 else 0 end
         from generate_series(1, $2) as n, unnest(array['waiting', 'ready', 'dead']) as kinds (kind)`,
      [fetch.name, MANY],
    );
  });

  after(async () => {
    await database.close();
    await store.remove();
  });

  /** Notes the most blocks of 8 KiB that each statement has read, and undoes it before it's run. */
  const countBlocks = (inner: Database): Database => {
    const explain = async (table: RowTable, text: string): Promise<void> => {
      const statement = `explain (analyze, buffers, format json) ${postgresqlRowTable(table)} ${text}`;
      const undone = new Error('undone');
      await inner
        .transaction(async (tx) => {
          const [row] = await tx.all<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(statement, [
            JSON.stringify(table.rows),
          ]);
          const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
          const read = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
          blocks.set(text, Math.max(read, blocks.get(text) ?? 0));
          throw undone;
        })
        .catch((error) => assert.equal(error, undone));
    };
    return {
      ...inner,
      allFrom: async (table, text) => {
        await explain(table, text);
        return inner.allFrom(table, text);
      },
      runFrom: async (table, text) => {
        await explain(table, text);
        return inner.runFrom(table, text);
      },
    };
  };

  const enqueue = (delayMs: number, key: string | null) =>
    database.transaction((tx) =>
      engine.enqueue(tx, { id: newId(), definition: fetch, payload: {}, key, delayMs, behind: 0 }),
    );
  const takeAnd = async (settle: (job: TakenJob) => Promise<unknown>): Promise<void> => {
    await engine.upkeep();
    for await (const job of engine.take([{ name: fetch.name, room: 2 }])) await settle(job);
  };
  const useAll = async (): Promise<void> => {
    await enqueue(1, newId());
    for (const settle of [
      engine.release,
      (job: TakenJob) => engine.heartbeat?.touch([job]) ?? Promise.resolve(),
      (job: TakenJob) => engine.retry(job, 60_000, 'no'),
      (job: TakenJob) => engine.bury(job, 'no'),
      engine.complete,
    ]) {
      await enqueue(0, newId());
      await takeAnd(settle);
    }
    await engine.begin();
    await engine.dead.list(20);
    for await (const id of engine.dead.listIds()) {
      await engine.dead.retry(id);
      break;
    }
  };

  test('reads few blocks for whatever it does, even before anything was analyzed', async () => {
    blocks.clear();
    await useAll();
    assert.ok(blocks.size >= 12, [...blocks.keys()].join('\n'));
    assert.deepEqual(
      [...blocks].filter(([, count]) => count > FEW_BLOCKS),
      [],
    );
  });

  test('counts exactly', async () => {
    const { queued, failed } = await engine.count();
    const states = await database.all<{ state: string; n: number }>(
      'select state, count(*) as n from jobs group by state',
    );
    const expected = new Map(states.map(({ state, n }) => [state, n]));
    assert.deepEqual([queued, failed], [expected.get('queued'), expected.get('dead')]);
    assert.ok(queued >= 2 * MANY && failed >= MANY);
  });
});
