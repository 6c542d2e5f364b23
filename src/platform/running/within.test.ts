import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within, withinOrNull } from './within.ts';

const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));

const never = new Promise<never>(() => undefined);

const standStill = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('a result in time is passed on, and so is a failure', async () => {
  assert.equal(await within(1_000, after(5, 'here')), 'here');
  await assert.rejects(within(1_000, Promise.reject(new Error('no'))), /no/);
});

test('work that takes too long is null, or what the caller chooses', async () => {
  assert.equal(await within(5, never), null);
  assert.equal(await withinOrNull(1_000, Promise.reject(new Error('no'))), null);
  assert.equal(await within(5, never, { onLate: () => 'late' }), 'late');
  const giveUp = () => {
    throw new Error('too late');
  };
  await assert.rejects(within(5, never, { onLate: giveUp }), /too late/);
});

test('a failure that comes too late is ignored', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  assert.equal(await within(5, promise), null);
  reject(new Error('later'));
  await after(5, null);
});

test('time in which our own process was blocked can be excused', async () => {
  const excused = within(200, after(210, 'here'), { excuseStalls: true });
  standStill(600);
  assert.equal(await excused, 'here');
});
