import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { withinPatience } from './within-patience.ts';

const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));

const standStill = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('what is answered in time is passed on, and so is what fails', async () => {
  assert.equal(await withinPatience(after(5, 'here')), 'here');
  await assert.rejects(withinPatience(Promise.reject(new Error('no'))), /no/);
});

test('what is not answered in time is given up', async () => {
  await assert.rejects(withinPatience(new Promise(() => undefined)), DatabaseUnavailable);
});

test('the time in which we stood still ourselves is not held against the database', async () => {
  // The answer has come long before, and nobody could hear it.
  const answered = withinPatience(after(2_100, 'here'));
  standStill(2_600);
  assert.equal(await answered, 'here');
});
