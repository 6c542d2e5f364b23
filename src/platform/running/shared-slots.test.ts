import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedSlots } from './shared-slots.ts';
import { workFor } from './work-for.ts';

test('free slots go to the teams in turn', async () => {
  const slots = createSharedSlots(1);
  assert.equal(slots.take(), null);
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    await slots.take();
    order.push(name);
    slots.release();
  };
  const all = [...['a1', 'a2', 'a3'].map((name) => workFor('a', () => work(name))), workFor('b', () => work('b1'))];
  assert.equal(slots.waiting, 4);
  slots.release();
  await Promise.all(all);
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
  assert.equal(slots.take(), null);
});

test('waiting times out with an error, and takes no slot', async () => {
  const slots = createSharedSlots(1, { ms: 5, giveUp: () => new Error('too long') });
  assert.equal(slots.take(), null);
  await assert.rejects(slots.take() ?? assert.fail('There was a slot.'), /too long/);
  slots.release();
  assert.equal(slots.take(), null);
});
