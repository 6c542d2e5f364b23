import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSideBySide } from './side-by-side.ts';

test('what arrives in one turn continues in the next, in order', async () => {
  const arrive = createSideBySide(setImmediate);
  const heard: string[] = [];
  for (const name of ['one', 'two', 'three']) arrive(() => heard.push(name));
  assert.deepEqual(heard, []);
  await nextTurn();
  assert.deepEqual(heard, ['one', 'two', 'three']);
});

test('what arrives while others continue waits for the turn after', async () => {
  const arrive = createSideBySide(setImmediate);
  const heard: string[] = [];
  arrive(() => {
    heard.push('one');
    arrive(() => heard.push('late'));
  });
  arrive(() => heard.push('two'));
  await nextTurn();
  assert.deepEqual(heard, ['one', 'two']);
  await nextTurn();
  assert.deepEqual(heard, ['one', 'two', 'late']);
});

test('with very many, each only waits for its own group', async () => {
  const arrive = createSideBySide(setImmediate);
  let heard = 0;
  for (let count = 0; count < 150; count++) arrive(() => heard++);
  const after: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    after.push(heard);
  }
  assert.deepEqual(after, [64, 128, 150]);
});

test('responses that are ready in the same turn are sent together', async () => {
  const leave = createSideBySide(process.nextTick);
  const heard: string[] = [];
  const answer = async (name: string, steps: number): Promise<void> => {
    for (let step = 0; step < steps; step++) await null;
    heard.push(`${name} is ready`);
    await new Promise<void>((resolve) => leave(resolve));
    heard.push(`${name} goes`);
  };
  await Promise.all([answer('one', 1), answer('two', 5)]);
  assert.deepEqual(heard, ['one is ready', 'two is ready', 'one goes', 'two goes']);
});
