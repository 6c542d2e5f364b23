import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { type Database, DatabaseUnavailable, type InsertTarget, UniqueViolation } from './database.ts';
import { createGroupWriter } from './group-writer.ts';
import { openDatabase } from './open-database.ts';

const things: InsertTarget = {
  table: 'things',
  columns: { id: 'text', mark: 'text', amount: 'bigint' },
  id: 'id',
  onConflict: 'skip',
};
const strict: InsertTarget = { ...things, onConflict: 'fail' };

onEachEngine('group writer', (engine) => {
  let store: TestStore;
  let database: Database;

  beforeEach(async () => {
    store = await createTestStore(engine);
    database = openDatabase(store.settings, () => undefined);
    await database.transaction((tx) =>
      tx.script('create table things (id text primary key, mark text unique, amount bigint not null)'),
    );
  });

  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  test('every resolved row is stored', async () => {
    const writer = createGroupWriter(database);
    const ids = Array.from({ length: 1_200 }, (_, index) => `id-${index}`);
    await Promise.all(ids.map((id, index) => writer.insert(things, [id, null, index])));
    const rows = await database.all<{ id: string; amount: number }>('select id, amount from things');
    assert.equal(rows.length, 1_200);
    assert.equal(rows.find(({ id }) => id === 'id-7')?.amount, 7);
  });

  test('a duplicate key is reported as skipped', async () => {
    const writer = createGroupWriter(database);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => writer.insert(things, [`id-${index}`, 'same', 1])),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'inserted').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'skipped').length, 49);
  });

  test('two processes that insert the same rows in opposite orders do not stop each other', async () => {
    const other = openDatabase(store.settings, () => undefined);
    try {
      for (let round = 0; round < 20; round++) {
        const rows = Array.from({ length: 300 }, (_, index) => [`${round}-${index}`, null, index] as const);
        const outcomes = await Promise.all([
          database.insertRows(things, rows),
          other.insertRows(things, rows.toReversed()),
        ]);
        assert.equal(outcomes.flat().filter((outcome) => outcome === 'inserted').length, rows.length);
      }
    } finally {
      await other.close();
    }
  });

  test('a rejected row fails alone', async () => {
    const writer = createGroupWriter(database);
    const outcomes = await Promise.allSettled([
      writer.insert(strict, ['lone', null, 1]),
      writer.insert(strict, ['a', 'x', 1]),
      writer.insert(strict, ['b', 'x', 1]),
      writer.insert(strict, ['c', 'y', null]),
      writer.insert(strict, ['d', 'z', 1]),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.ok(outcomes[2]?.status === 'rejected' && outcomes[2].reason instanceof UniqueViolation);
    assert.equal((await database.all('select id from things')).length, 3);
  });

  test('with the same id twice, the first row is inserted and the other skipped', async () => {
    const outcomes = await database.insertRows(things, [
      ['same', 'x', 1],
      ['same', 'y', 2],
    ]);
    assert.deepEqual(outcomes, ['inserted', 'skipped']);
  });

  test('an undefined value fails its own row', async () => {
    const writer = createGroupWriter(database);
    const [bad, good] = await Promise.allSettled([
      writer.insert(things, ['a', null, undefined as never]),
      writer.insert(things, ['b', null, 1]),
    ]);
    assert.equal(bad?.status, 'rejected');
    assert.equal(good?.status, 'fulfilled');
  });

  test('rows for two tables commit in order', async () => {
    const writer = createGroupWriter(database);
    await Promise.all([
      writer.insert(things, ['a', 'x', 1]),
      writer.insert(strict, ['b', 'y', 1]),
      writer.insert(things, ['c', 'z', 1]),
    ]);
    assert.equal((await database.all('select id from things')).length, 3);
  });
});

describe('group writer', () => {
  const target = things;

  /** Waits for three turns of the event loop. A turn that adds no write ends a group. */
  const takeTurns = async (): Promise<void> => {
    for (let count = 0; count < 3; count++) await new Promise(setImmediate);
  };

  test('writes in one turn of the event loop share a commit, and those during it share the next', async () => {
    const groups: number[] = [];
    const gates: PromiseWithResolvers<void>[] = [];
    const writer = createGroupWriter({
      insertRows: async (_into, rows) => {
        groups.push(rows.length);
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
        return rows.map(() => 'inserted' as const);
      },
    });
    const first = [writer.insert(target, ['a', null, 1])];
    // A second request, which arrived in the same turn and is handled after the first.
    await Promise.resolve();
    first.push(writer.insert(target, ['b', null, 1]));
    await takeTurns();
    assert.deepEqual(groups, [2]);
    const others = ['c', 'd', 'e'].map((id) => writer.insert(target, [id, null, 1]));
    gates[0]?.resolve();
    await Promise.all(first);
    await takeTurns();
    assert.deepEqual(groups, [2, 3]);
    gates[1]?.resolve();
    await Promise.all(others);
  });

  test('a lone write is committed within one turn of the event loop', async () => {
    let committed = false;
    const writer = createGroupWriter({
      insertRows: async (_into, rows) => {
        committed = true;
        return rows.map(() => 'inserted' as const);
      },
    });
    const write = writer.insert(target, ['a', null, 1]);
    await new Promise(setImmediate);
    assert.ok(committed);
    await write;
  });

  test('more writes than fit into a commit share as few as possible, in the order they came', async () => {
    const commits: string[][] = [];
    const writer = createGroupWriter({
      insertRows: async (_into, rows) => {
        commits.push(rows.map(([id]) => String(id)));
        return rows.map(() => 'inserted' as const);
      },
    });
    const ids = Array.from({ length: 1_001 }, (_, index) => `id-${index}`);
    await Promise.all(ids.map((id) => writer.insert(target, [id, null, 1])));
    assert.deepEqual(
      commits.map(({ length }) => length),
      [500, 500, 1],
    );
    assert.deepEqual(commits.flat(), ids);
  });

  test('when too many writes wait, the next one fails at once, and those that wait are written', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const writer = createGroupWriter({
      insertRows: async (_into, rows) => {
        await promise;
        return rows.map(() => 'inserted' as const);
      },
    });
    const write = (id: string) => writer.insert(target, [id, null, 1]);
    const waiting = Array.from({ length: 20_000 }, (_, index) => write(`id-${index}`));
    await assert.rejects(write('one more'), DatabaseUnavailable);
    resolve();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['inserted']));
    assert.equal(await write('later'), 'inserted');
  });

  test('when the database is unavailable, every waiting write fails, and the next one is tried again', async () => {
    let away = true;
    const writer = createGroupWriter({
      insertRows: async (_into, rows) => {
        if (away) throw new DatabaseUnavailable('away');
        return rows.map(() => 'inserted' as const);
      },
    });
    const lost = await Promise.allSettled([1, 2, 3].map((n) => writer.insert(target, [`${n}`, null, n])));
    assert.ok(lost.every(({ status }) => status === 'rejected'));
    away = false;
    assert.equal(await writer.insert(target, ['d', null, 4]), 'inserted');
  });
});
