import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standStill } from '../../../test/harness/stand-still.ts';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { withinPatience } from './within-patience.ts';

const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));

test('a result in time is passed on, and so is a failure', async () => {
  assert.equal(await withinPatience(after(5, 'here')), 'here');
  await assert.rejects(withinPatience(Promise.reject(new Error('no'))), /no/);
});

test('a late result is abandoned', async () => {
  await assert.rejects(withinPatience(new Promise(() => undefined)), DatabaseUnavailable);
});

test('time our own process was stalled does not count against the database', async () => {
  // The response arrived long before, but the loop was blocked.
  const answered = withinPatience(after(2_100, 'here'));
  standStill(2_600);
  assert.equal(await answered, 'here');
});
