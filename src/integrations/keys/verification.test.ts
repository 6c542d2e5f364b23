import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextVerificationAt, retryVerificationAt } from './verification.ts';

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
