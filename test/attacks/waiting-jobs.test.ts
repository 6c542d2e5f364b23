// Attack: a team's provider never delivers the recordings that it announces, so that their jobs wait for a later attempt,
// 60,000 of them. As many have failed. Every look for jobs that are due, and every count of them, would read them all.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { createTableEngine } from '../../src/jobs/engine/table-engine.ts';
import { defineJob } from '../../src/jobs/index.ts';
import type { JobEngine, TakenJob } from '../../src/jobs/job-engine.ts';
import { sqliteRowTable } from '../../src/platform/database/row-table.ts';
import {
  createNewId,
  type Database,
  openDatabase,
  type Queries,
  type RowTable,
  systemClock,
  Type,
} from '../../src/platform/index.ts';
import { createTestStore } from '../harness/databases.ts';

const MANY = 60_000;
/** More than one statement handles, so that steps of the same size are compared. */
const FEW = 5_500;
const ROUNDS = 7;

const fetch = defineJob({ name: 'fetch-recording', payload: Type.Object({ teamId: Type.String() }), attempts: 14 });
const newId = createNewId(systemClock);

/** A few of those that wait are due, in another queue, and a few of those that failed are too old. */
const fill = (path: string, each: number): void => {
  const raw = new DatabaseSync(path);
  const columns = 'id, name, payload, state, attempts, attempts_allowed, created_at, run_at, behind, died_at';
  raw.exec(`pragma synchronous = off; insert into clock_looks (id, seen_at, believed_from) values (1, 4000000000000, 0);
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${each})
    insert into jobs (${columns})
    select '01890000-0000-7000-8000-' || printf('%012x', 2 * n + (state = 'dead')),
           case when n <= ${FEW} then 'remove-recording' else '${fetch.name}' end, '{"teamId":"other"}', state,
           7, 14, 1, case when n <= ${FEW} then n else 4000000000000 + n end, min(n, 1000),
           case when state <> 'dead' then null when n <= ${FEW} then n else 4000000000000 + n end
      from numbers, (select 'queued' as state union all select 'dead')`);
  raw.close();
};

type Seen = Map<string, number[]>;

/** A busy machine only makes some of them longer. */
const shortest = (times: readonly number[] = []): number => Math.min(...times);

/** Notes how long each statement takes. What another process reads doesn't count. */
const watch = (database: Database, seen: Seen): Database => {
  const timed =
    <Values extends unknown[], Result>(textAt: number, ask: (...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      const rows = textAt === 0 ? '' : sqliteRowTable(values[0] as RowTable);
      const text = `${rows} ${values[textAt]}`.replaceAll(/\s+/g, ' ').trim();
      const startedAt = performance.now();
      const result = await ask(...values);
      seen.set(text, [...(seen.get(text) ?? []), performance.now() - startedAt]);
      return result;
    };
  const watched = <Asked extends Queries>(queries: Asked): Asked => ({
    ...queries,
    get: timed(0, queries.get),
    all: timed(0, queries.all),
    run: timed(0, queries.run),
    allFrom: timed(1, queries.allFrom),
    runFrom: timed(1, queries.runFrom),
  });
  return { ...watched(database), transaction: (work) => database.transaction((tx) => work(watched(tx))) };
};

/** Everything that the queue is asked for, once. */
const useQueue = async (database: Database, engine: JobEngine): Promise<void> => {
  const enqueue = (delayMs: number, key: string | null) =>
    database.transaction((tx) =>
      engine.enqueue(tx, { id: newId(), definition: fetch, payload: { teamId: 'own' }, key, delayMs, behind: 0 }),
    );
  const takeAnd = async (settle: (job: TakenJob) => Promise<unknown>): Promise<void> => {
    await engine.upkeep();
    for await (const job of engine.take([{ name: fetch.name, room: 5 }])) await settle(job);
  };
  await engine.begin();
  await enqueue(60_000, 'later');
  for (const settle of [
    engine.release,
    engine.complete,
    (job: TakenJob) => engine.retry(job, 60_000, 'no'),
    (job: TakenJob) => engine.bury(job, 'no'),
  ]) {
    await enqueue(0, newId());
    await takeAnd(settle);
  }
  await engine.count();
  const [newest] = await engine.dead.list(10);
  await engine.dead.retry(newest?.id ?? '');
  await takeAnd(engine.complete);
  for await (const id of engine.dead.listIds()) if (id) break;
};

const measure = async (each: number): Promise<{ seen: Seen; plans: string[] }> => {
  const store = await createTestStore('sqlite');
  const path = `${store.settings.dataDirectory}/patchbay.db`;
  fill(path, each);
  const database = openDatabase(store.settings, () => undefined);
  const seen: Seen = new Map();
  const watched = watch(database, seen);
  const engine = createTableEngine({ database: watched, clock: systemClock });
  try {
    for (let round = 0; round < ROUNDS; round++) await useQueue(watched, engine);
    await engine.forget('teamId', 'own');
    const raw = new DatabaseSync(path);
    const plans = [...seen.keys()]
      .flatMap((text) => raw.prepare(`explain query plan ${text.replaceAll('$', '?')}`).all())
      .map(({ detail }) => String(detail));
    raw.close();
    return { seen, plans };
  } finally {
    await database.close();
    await store.remove();
  }
};

describe(`a queue in which ${MANY} jobs wait and as many have failed`, () => {
  test('is used by statements that read no more than if there were few', async () => {
    const few = await measure(FEW);
    const many = await measure(MANY);
    const compared = [...many.seen].filter(([, times]) => times.length >= ROUNDS);
    assert.ok(compared.length > 15);
    const slow = compared.filter(([text, times]) => shortest(times) > 4 * shortest(few.seen.get(text)) + 1);
    assert.deepEqual(slow, []);
    // Only pages of a limited size follow the table itself.
    assert.deepEqual(
      many.plans.filter((plan) => /SCAN jobs(?! USING INDEX jobs_dead)|TEMP B-TREE/.test(plan)),
      [],
    );
  });
});
