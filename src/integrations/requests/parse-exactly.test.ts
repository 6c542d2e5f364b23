import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactly } from './parse-exactly.ts';

test('a number that would be rounded stays as it was written', () => {
  const text =
    '{"id":9007199254740993,"ids":[18446744073709551615,-9007199254740993],"at":1763400000000,"share":0.1234567890123456}';
  assert.deepEqual(parseExactly(text), {
    id: '9007199254740993',
    ids: ['18446744073709551615', '-9007199254740993'],
    at: 1_763_400_000_000,
    share: 0.1234567890123456,
  });
  assert.equal(parseExactly('9007199254740991'), 9_007_199_254_740_991);
});

test('text with many digits is left alone, and so are names', () => {
  const value = { '9007199254740993': '9007199254740993', ['__proto__x']: null, list: [] };
  assert.deepEqual(parseExactly(JSON.stringify(value)), value);
});
