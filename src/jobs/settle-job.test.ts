import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retryDelayMs } from './settle-job.ts';

const pace = { firstRetryMs: 1_000, mostRetryMs: 60_000 };

describe('retry delay', () => {
  test('doubles with each attempt up to the maximum', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempt) => retryDelayMs(pace, attempt, 0));
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test('is reduced by up to half at random, and never less than that of an earlier attempt', () => {
    for (const attempt of [1, 2, 3, 4, 5]) {
      assert.ok(retryDelayMs(pace, attempt + 1, 1) >= retryDelayMs(pace, attempt, 0));
      const drawn = Array.from({ length: 20 }, () => retryDelayMs(pace, attempt));
      assert.ok(new Set(drawn).size > 1, 'there is no jitter');
    }
  });
});
