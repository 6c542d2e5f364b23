import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/harness/app.ts';
import { createRateLimit } from './rate-limit.ts';

test('each caller has a number of requests per minute, which refill evenly', () => {
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

test('the wait is in whole seconds, and never too short', () => {
  const clock = createTestClock();
  const limit = createRateLimit({ clock, perMinute: 24 });
  while (limit.take('a') === 0);
  assert.equal(limit.take('a'), 3, 'Two and a half seconds for each.');
  clock.advance(600);
  assert.equal(limit.take('a'), 2);
  clock.advance(1_899);
  assert.equal(limit.take('a'), 1);
  clock.advance(1);
  assert.equal(limit.take('a'), 0);
});

test('setting the clock back neither adds nor removes requests', () => {
  const clock = createTestClock();
  const limit = createRateLimit({ clock, perMinute: 1 });
  assert.equal(limit.take('a'), 0);
  clock.advance(-3_600_000);
  assert.equal(limit.take('a'), 60);
});

test('a request can be taken a moment before it is there', () => {
  const clock = createTestClock();
  const limit = createRateLimit({ clock, perMinute: 60 });
  while (limit.take('a') === 0);
  assert.equal(limit.takeWithin(2_000, 'a'), 1_000);
  assert.equal(limit.takeWithin(2_000, 'a'), 2_000);
  assert.equal(limit.takeWithin(2_000, 'a'), null);
  assert.equal(limit.look('a'), 3);
  clock.advance(3_000);
  assert.equal(limit.takeWithin(0, 'a'), 0);
});

test('only so many callers are remembered, and the oldest is forgotten first', () => {
  const limit = createRateLimit({ clock: createTestClock(), perMinute: 1 });
  for (const key of ['oldest', 'second']) assert.equal(limit.take(key), 0);
  for (let other = 2; other < 50_000; other++) limit.take(`other-${other}`);
  assert.deepEqual([limit.look('oldest'), limit.look('second')], [60, 60]);
  limit.take('one more');
  assert.deepEqual([limit.look('oldest'), limit.look('second')], [0, 60]);
});
