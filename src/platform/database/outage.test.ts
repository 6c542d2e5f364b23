import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOutage } from './outage.ts';

test('an outage lasts for a while, or until the database is back', async () => {
  const outage = createOutage(30);
  assert.equal(outage.isOn(), false);
  outage.begin();
  assert.equal(outage.isOn(), true);
  await sleep(40);
  assert.equal(outage.isOn(), false);
  outage.begin();
  outage.end();
  assert.equal(outage.isOn(), false);
});
