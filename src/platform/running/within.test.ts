import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { moveTime } from '../../../test/harness/move-time.ts';
import { within, withinOrNull } from './within.ts';

const never = new Promise<never>(() => undefined);

test('a result in time is passed on, and so is a failure', async () => {
  assert.equal(await within(1_000, nextTurn('here')), 'here');
  await assert.rejects(within(1_000, Promise.reject(new Error('no'))), /no/);
});

test('work that takes too long is null, or what the caller chooses', async (context) => {
  const time = moveTime(context);
  const giveUp = () => {
    throw new Error('too late');
  };
  const late = [within(5, never), within(5, never, { onLate: () => 'late' })];
  const failed = assert.rejects(within(5, never, { onLate: giveUp }), /too late/);
  time.pass(5);
  assert.deepEqual(await Promise.all(late), [null, 'late']);
  await failed;
  assert.equal(await withinOrNull(1_000, Promise.reject(new Error('no'))), null);
});

test('a failure that comes too late is ignored', async (context) => {
  const time = moveTime(context);
  const { promise, reject } = Promise.withResolvers<never>();
  const late = within(5, promise);
  time.pass(5);
  assert.equal(await late, null);
  reject(new Error('later'));
  await nextTurn();
});

test('time in which our own process was blocked can be excused', async (context) => {
  const time = moveTime(context);
  const { promise, resolve } = Promise.withResolvers<string>();
  const excused = within(200, promise, { excuseStalls: true });
  const strict = within(200, promise);
  time.standStill(600);
  time.catchUp(200);
  resolve('here');
  assert.deepEqual([await excused, await strict], ['here', null]);
});
