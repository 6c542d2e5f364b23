import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextDispatchWaitMs } from './dispatch.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test('each wait is as long as all before it, from a minute to six hours, for three days', () => {
  const waits: number[] = [];
  for (let now = 0, waitMs: number | null = 0; waitMs !== null; now += waitMs ?? 0) {
    waitMs = nextDispatchWaitMs({ createdAt: 0 }, {}, now);
    if (waitMs !== null) waits.push(waitMs / MINUTE_MS);
  }
  assert.deepEqual(waits.slice(0, 11), [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 360]);
  assert.equal(waits.length, 21);
});

test('nobody is asked before the time they named', () => {
  assert.equal(nextDispatchWaitMs({ createdAt: 0 }, { retryAfterMs: 8 * HOUR_MS }, HOUR_MS), 8 * HOUR_MS);
  assert.equal(nextDispatchWaitMs({ createdAt: 0 }, { retryAfterMs: MINUTE_MS }, HOUR_MS), HOUR_MS);
});
