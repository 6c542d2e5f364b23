import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutage } from './outage.ts';

test('an outage lasts for a while, or until the database is back', ({ mock }) => {
  let now = 0;
  mock.method(performance, 'now', () => now);
  const outage = createOutage(30);
  assert.equal(outage.isOn(), false);
  outage.begin();
  assert.equal(outage.isOn(), true);
  now += 29;
  assert.equal(outage.isOn(), true);
  now += 1;
  assert.equal(outage.isOn(), false);
  outage.begin();
  outage.end();
  assert.equal(outage.isOn(), false);
});
