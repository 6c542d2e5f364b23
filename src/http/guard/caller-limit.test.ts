import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/harness/app.ts';
import { createCallerLimit } from './caller-limit.ts';

const take = (limit: ReturnType<typeof createCallerLimit>, userId: string, times: number, teamId = 'ours') =>
  Array.from({ length: times }, () => limit.take({ userId, teamId }));

test('a caller has two seconds’ worth at once, then waits for each, and is refused after a second’s worth', () => {
  const clock = createTestClock();
  const limit = createCallerLimit({ clock, perMinute: 6_000 });
  assert.deepEqual(new Set(take(limit, 'ann', 200)), new Set([0]));
  assert.deepEqual(
    take(limit, 'ann', 100),
    Array.from({ length: 100 }, (_, index) => (index + 1) * 10),
  );
  assert.throws(() => take(limit, 'ann', 1), { status: 429, headers: { 'retry-after': '2' } });
  assert.deepEqual(take(limit, 'ben', 1), [0]);
  clock.advance(1_000);
  assert.deepEqual(take(limit, 'ann', 1), [10]);
});

test('a team has three times as much, and its refusals cost its members nothing', () => {
  const clock = createTestClock();
  const limit = createCallerLimit({ clock, perMinute: 6_000 });
  for (const userId of ['ann', 'ben', 'cem']) take(limit, userId, 300);
  for (let refused = 0; refused < 300; refused++) assert.throws(() => take(limit, 'dee', 1), { status: 429 });
  assert.deepEqual(take(limit, 'eve', 1, 'theirs'), [0]);
  // After two seconds, the team may send 200 requests again. A member who had used up their own limit could not.
  clock.advance(2_000);
  assert.deepEqual(new Set(take(limit, 'dee', 200)), new Set([0]));
});

test('everything follows from the one number, down to a minimum', () => {
  const clock = createTestClock();
  const sizesOf = (perMinute: number) => createCallerLimit({ clock, perMinute }).turns;
  const sizes = (atOnce: number, waiting: number) => ({
    ...{ perMember: atOnce, perOwner: atOnce * 2 },
    mostWaiting: { perMember: waiting, perOwner: waiting * 3 },
  });
  assert.deepEqual(sizesOf(6_000), sizes(8, 300));
  assert.deepEqual(sizesOf(60_000), sizes(80, 3_000));
  assert.deepEqual(sizesOf(600), sizes(8, 60));
  assert.deepEqual(sizesOf(10), sizes(8, 11));
});
