import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeRandomBytes } from './take-random-bytes.ts';

test('random bytes have the requested length, and are never given out twice', () => {
  const taken = Array.from({ length: 3_000 }, (_, index) => takeRandomBytes(12 + (index % 21)));
  assert.ok(taken.every((bytes, index) => bytes.length === 12 + (index % 21)));
  assert.equal(new Set(taken.map((bytes) => bytes.subarray(0, 12).toString('hex'))).size, taken.length);
});

test('changing bytes that were given out does not affect others', () => {
  const first = takeRandomBytes(16);
  first.fill(0);
  assert.notDeepEqual(takeRandomBytes(16), first);
});

test('every bit is set about half of the time', () => {
  const bytes = Buffer.concat(Array.from({ length: 1_000 }, () => takeRandomBytes(32)));
  const ones = bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  const share = ones / (bytes.length * 8);
  assert.ok(share > 0.49 && share < 0.51, `${share}`);
});
