import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from './slots.ts';

test('a limited number run at a time for each key, first come, first served', async () => {
  const slots = createSlots(2);
  const taken: string[] = [];
  const take = async (name: string, key = 'a') => {
    const release = await slots.take(key);
    taken.push(name);
    return release;
  };
  const [first] = await Promise.all([take('1'), take('2')]);
  const [third, fourth] = [take('3'), take('4')];
  await take('other', 'b');
  assert.deepEqual(taken, ['1', '2', 'other']);
  first();
  (await third)();
  await fourth;
  assert.deepEqual(taken, ['1', '2', 'other', '3', '4']);
});

test('waiting times out with an error, and takes no slot', async () => {
  const slots = createSlots(1, { ms: 5, giveUp: () => new Error('too long') });
  const release = await slots.take('a');
  await assert.rejects(slots.take('a'), /too long/);
  release();
  (await slots.take('a'))();
});
