import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNewId, firstIdAt } from './new-id.ts';

test('ids are UUIDs of version 7, different, and sort by time', () => {
  let now = 1_700_000_000_000;
  const newId = createNewId({ now: () => now });
  const ids = Array.from({ length: 1_000 }, () => {
    now += 1;
    return newId();
  });
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 1_000);
});

test('the first id of a moment separates earlier ids from later ones', () => {
  const at = 1_700_000_000_000;
  const idAt = (now: number) => createNewId({ now: () => now })();
  for (let turn = 0; turn < 100; turn++) {
    assert.ok(idAt(at - 1) < firstIdAt(at));
    assert.ok(firstIdAt(at) <= idAt(at));
  }
  assert.equal(firstIdAt(-1), '00000000-0000-7000-8000-000000000000');
});
