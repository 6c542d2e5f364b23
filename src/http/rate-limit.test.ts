import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/harness/app.ts';
import { createRateLimit } from './rate-limit.ts';

test('a minute holds its number of requests, for each caller apart, and fills up evenly', () => {
  const clock = createTestClock();
  const limit = createRateLimit({ clock, perMinute: 60 });
  const taken = Array.from({ length: 61 }, () => limit.take('a'));
  assert.deepEqual(
    taken.slice(0, 60),
    Array.from({ length: 60 }, () => 0),
  );
  assert.equal(taken[60], 1);
  assert.equal(limit.take('b'), 0);
  clock.advance(1_000);
  assert.equal(limit.take('a'), 0);
  assert.equal(limit.take('a'), 1);
  clock.advance(3_600_000);
  assert.equal(
    Array.from({ length: 60 }, () => limit.take('a')).every((wait) => wait === 0),
    true,
  );
  assert.equal(limit.take('a'), 1);
});

test('a clock that is set back gives nothing and takes nothing', () => {
  const clock = createTestClock();
  const limit = createRateLimit({ clock, perMinute: 1 });
  assert.equal(limit.take('a'), 0);
  clock.advance(-3_600_000);
  assert.equal(limit.take('a'), 60);
});
