import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printBytes } from './print-bytes.ts';

test('bytes are printed in the largest unit that fits', () => {
  assert.deepEqual([0, 1_023, 1_024, 1_536 * 1_024, 64 * 1_024 ** 3, 5_000 * 1_024 ** 4].map(printBytes), [
    '0 bytes',
    '1023 bytes',
    '1 KiB',
    '1.5 MiB',
    '64 GiB',
    '5000 TiB',
  ]);
});
