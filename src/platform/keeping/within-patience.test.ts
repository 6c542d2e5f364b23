import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { moveTime } from '../../../test/harness/move-time.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { withinPatience } from './within-patience.ts';

test('a result in time is passed on, and so is a failure', async () => {
  assert.equal(await withinPatience(nextTurn('here')), 'here');
  await assert.rejects(withinPatience(Promise.reject(new Error('no'))), /no/);
});

test('a result after more than two seconds is abandoned', async (context) => {
  const time = moveTime(context);
  let isOver = false;
  const abandoned = assert.rejects(withinPatience(new Promise(() => undefined)), DatabaseUnavailable);
  abandoned.then(() => (isOver = true));
  time.pass(1_999);
  await nextTurn();
  assert.equal(isOver, false);
  time.pass(1);
  await abandoned;
});

test('time our own process was stalled does not count against the database', async (context) => {
  const time = moveTime(context);
  const { promise, resolve } = Promise.withResolvers<string>();
  const answered = withinPatience(promise);
  // The response arrived long before the limit, but the event loop was blocked.
  time.standStill(2_600);
  time.catchUp(2_000);
  resolve('here');
  assert.equal(await answered, 'here');
});
