import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVerificationDue, nextVerificationAt, retryRejectedAt, retryVerificationAt } from './verification.ts';

const HOUR_MS = 3_600_000;

test('a key is verified within a day, and not all of them at once', () => {
  assert.equal(nextVerificationAt(0, 0), 21.6 * HOUR_MS);
  assert.equal(nextVerificationAt(0, 1), 24 * HOUR_MS);
});

test('while the provider is away, it is tried about an hour later, or when it says if that is later', () => {
  assert.equal(retryVerificationAt(0, null, 0.5), HOUR_MS);
  assert.equal(retryVerificationAt(0, 60_000, 0.5), HOUR_MS);
  assert.equal(retryVerificationAt(0, 5 * HOUR_MS, 0.5), 5 * HOUR_MS);
});

test('a rejected key is verified again after minutes, then hours, then every day', () => {
  for (const random of [0, 1]) {
    const waits: number[] = [];
    for (let now = 0; waits.length < 5; now += waits.at(-1) ?? 0) waits.push(retryRejectedAt(now, 0, random) - now);
    const share = random === 0 ? 0.9 : 1;
    assert.deepEqual(
      waits,
      [5 / 60, 0.5, 2, 24, 24].map((hours) => Math.round(hours * HOUR_MS * share)),
    );
  }
});

test('a time that is further ahead than any key waits counts as due', () => {
  assert.deepEqual(
    [-1, 0, 1, 24, 26].map((hours) => isVerificationDue(hours * HOUR_MS, 0)),
    [true, true, false, false, true],
  );
});
