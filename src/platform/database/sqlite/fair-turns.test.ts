import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createTestStore, type TestStore } from '../../../../test/harness/databases.ts';
import { standStill } from '../../../../test/harness/stand-still.ts';
import type { Database, InsertTarget, Queries } from '../database.ts';
import { openDatabase } from '../open-database.ts';

/** Ends a loop that never gives others a turn, after several seconds. */
const MOST_STATEMENTS = 500_000;

const NOTES: InsertTarget = {
  table: 'notes',
  columns: { id: 'text', body: 'text' },
  id: 'id',
  onConflict: 'fail',
};

/** Repeats the work until a timer has fired. Returns whether it has. */
const repeatUntilTimer = async (work: () => Promise<unknown>, most = MOST_STATEMENTS): Promise<boolean> => {
  let fired = false;
  setTimeout(() => {
    fired = true;
  }, 20);
  for (let count = 0; count < most && !fired; count++) await work();
  return fired;
};

describe('a loop of awaited statements on SQLite', () => {
  let store: TestStore;
  let database: Database;

  beforeEach(async () => {
    store = await createTestStore('sqlite');
    database = openDatabase(store.settings, () => undefined);
    await database.transaction((tx) => tx.script('create table notes (id text primary key, body text not null)'));
  });
  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  const read = (queries: Queries) => queries.get('select count(*) as n from notes');

  test('of reads lets a timer fire', async () => {
    assert.equal(await repeatUntilTimer(() => read(database)), true);
  });

  test('of reads inside one transaction lets a timer fire', async () => {
    assert.equal(await database.transaction((tx) => repeatUntilTimer(() => read(tx))), true);
  });

  test('of writes lets a timer fire', async () => {
    await database.run("insert into notes (id, body) values ('1', '')");
    const write = () => database.run("update notes set body = 'x' where id = '1'");
    assert.equal(await repeatUntilTimer(write, 5_000), true);
  });

  test('of transactions lets a timer fire', async () => {
    assert.equal(await repeatUntilTimer(() => database.transaction(read), 50_000), true);
  });

  test('over the rows of one insert lets a timer fire', async () => {
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 5);
    const rows = Array.from({ length: 20_000 }, (_, index) => [`${index}`, 'x'.repeat(500)]);
    const inserting = database.insertRows(NOTES, rows).then(() => fired);
    assert.equal(await inserting, true);
  });

  test('serves every concurrent caller before the first has finished', async () => {
    const started = new Set<number>();
    const callers = 50;
    const isOver = () => started.size === callers;
    const loops = Array.from({ length: callers }, async (_, index) => {
      // Use up the turn, so that the others have to queue.
      if (index === 1) standStill(50);
      for (let count = 0; count < MOST_STATEMENTS && !isOver(); count++) {
        await read(database);
        started.add(index);
      }
      return isOver();
    });
    assert.ok((await Promise.all(loops)).every(Boolean));
  });

  test('does not make a later caller wait until it ends', async () => {
    let isAnswered = false;
    const loop = repeatUntilTimer(async () => {
      for (let count = 0; count < 200; count++) await read(database);
    }, 500);
    setImmediate(() => void read(database).then(() => (isAnswered = true)));
    await loop;
    assert.equal(isAnswered, true);
  });
});
