import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTestStore, onEachEngine } from '../../../test/harness/databases.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { openDatabase } from './open-database.ts';

const READS = 20;
/** The last read, which its connection still knows, and one that may be on the stack. */
const MOST_KEPT = 2;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

onEachEngine('rows of long reads', (engine) => {
  test('are not kept by the database', async () => {
    const store = await createTestStore(engine);
    const database = openDatabase(store.settings, () => undefined);
    const reads: WeakRef<object>[] = [];
    for (let n = 0; n < READS; n++) reads.push(new WeakRef(await database.scan('select cast($1 as bigint)', [n])));
    const countKept = (): number => reads.filter((rows) => rows.deref()).length;
    await waitUntil('the rows are collected', () => {
      collect();
      return countKept() <= MOST_KEPT;
    });
    assert.ok(countKept() <= MOST_KEPT);
    await database.close();
    await store.remove();
  });
});
