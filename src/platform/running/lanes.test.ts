import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLanes } from './lanes.ts';
import { workFor } from './work-for.ts';

const drain = <Item>(lanes: { shift(): Item | undefined }): Item[] => {
  const items: Item[] = [];
  for (let item = lanes.shift(); item !== undefined; item = lanes.shift()) items.push(item);
  return items;
};

test('teams take turns, each in its own order', () => {
  const lanes = createLanes<string>();
  workFor('a', () => ['a1', 'a2', 'a3'].forEach(lanes.push));
  workFor('b', () => lanes.push('b1'));
  workFor('c', () => ['c1', 'c2'].forEach(lanes.push));
  assert.equal(lanes.size, 6);
  assert.deepEqual(drain(lanes), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  assert.equal(lanes.size, 0);
});

test('an owner that is held keeps its place until it is not', () => {
  const lanes = createLanes<string>();
  workFor('a', () => ['a1', 'a2'].forEach(lanes.push));
  workFor('b', () => lanes.push('b1'));
  lanes.push('own1');
  const held = new Set(['a', '']);
  const isHeld = (owner: string): boolean => held.has(owner);
  assert.equal(lanes.shift(isHeld), 'b1');
  assert.equal(lanes.shift(isHeld), undefined);
  assert.equal(lanes.size, 3);
  held.clear();
  assert.deepEqual(drain(lanes), ['own1', 'a1', 'a2']);
});

test('every second turn is for the service itself', () => {
  const lanes = createLanes<string>();
  workFor('a', () => ['a1', 'a2'].forEach(lanes.push));
  workFor('b', () => lanes.push('b1'));
  ['own1', 'own2', 'own3', 'own4'].forEach(lanes.push);
  assert.deepEqual(drain(lanes), ['own1', 'a1', 'own2', 'b1', 'own3', 'a2', 'own4']);
});

test('the owner of work is known across awaits', async () => {
  const lanes = createLanes<string>();
  const later = async (item: string): Promise<void> => {
    await nextTurn();
    lanes.push(item);
  };
  await Promise.all([
    workFor('a', async () => {
      await later('a1');
      await later('a2');
      await later('a3');
    }),
    nextTurn().then(() => workFor('b', () => later('b1'))),
  ]);
  assert.deepEqual(drain(lanes), ['a1', 'b1', 'a2', 'a3']);
});
