import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { workFor } from './owner.ts';
import { createRotation } from './rotation.ts';

const drain = <Item>(waiting: { shift(): Item | undefined }): Item[] => {
  const items: Item[] = [];
  for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) items.push(item);
  return items;
};

test('teams take turns, each in its own order', () => {
  const waiting = createRotation<string>();
  workFor('a', () => ['a1', 'a2', 'a3'].forEach(waiting.push));
  workFor('b', () => waiting.push('b1'));
  workFor('c', () => ['c1', 'c2'].forEach(waiting.push));
  assert.equal(waiting.size, 6);
  assert.deepEqual(drain(waiting), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  assert.equal(waiting.size, 0);
});

test('an owner that is held keeps its place until it is not', () => {
  const waiting = createRotation<string>();
  workFor('a', () => ['a1', 'a2'].forEach(waiting.push));
  workFor('b', () => waiting.push('b1'));
  waiting.push('own1');
  const held = new Set(['a', '']);
  const isHeld = (owner: string): boolean => held.has(owner);
  assert.equal(waiting.shift(isHeld), 'b1');
  assert.equal(waiting.shift(isHeld), undefined);
  assert.equal(waiting.size, 3);
  held.clear();
  assert.deepEqual(drain(waiting), ['own1', 'a1', 'a2']);
});

test('every second turn is for the service itself', () => {
  const waiting = createRotation<string>();
  workFor('a', () => ['a1', 'a2'].forEach(waiting.push));
  workFor('b', () => waiting.push('b1'));
  ['own1', 'own2', 'own3', 'own4'].forEach(waiting.push);
  assert.deepEqual(drain(waiting), ['own1', 'a1', 'own2', 'b1', 'own3', 'a2', 'own4']);
});

test('the owner of work is known across awaits', async () => {
  const waiting = createRotation<string>();
  const later = async (item: string): Promise<void> => {
    await nextTurn();
    waiting.push(item);
  };
  await Promise.all([
    workFor('a', async () => {
      await later('a1');
      await later('a2');
      await later('a3');
    }),
    nextTurn().then(() => workFor('b', () => later('b1'))),
  ]);
  assert.deepEqual(drain(waiting), ['a1', 'b1', 'a2', 'a3']);
});
