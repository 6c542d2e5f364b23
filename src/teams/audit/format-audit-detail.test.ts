import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAuditDetail } from './format-audit-detail.ts';

test('a detail that fits is kept as it is', () => {
  const detail = { name: 'x'.repeat(3_900), days: 90, list: ['a'], nothing: null };
  assert.deepEqual(JSON.parse(formatAuditDetail(detail)), detail);
});

test('of one that does not fit, each text and each list is cut, and says so', () => {
  const detail = { days: 90, text: 'x'.repeat(5_000), list: Array(30).fill('a'), fields: { name: 'y'.repeat(501) } };
  assert.deepEqual(JSON.parse(formatAuditDetail(detail)), {
    days: 90,
    text: `${'x'.repeat(500)}…`,
    list: [...Array(20).fill('a'), '… and 10 more'],
    fields: { name: `${'y'.repeat(500)}…` },
  });
});

test('whatever it contains, it is well-formed and has at most 4,000 characters', () => {
  const long = fc.string({ unit: 'grapheme', minLength: 1_000, maxLength: 5_000 });
  const wide = fc.array(fc.oneof(long, fc.jsonValue()), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(long, wide, fc.jsonValue())), (detail) => {
      const text = formatAuditDetail(detail);
      assert.ok(text.length <= 4_000 && text.isWellFormed());
      assert.equal(typeof JSON.parse(text), 'object');
    }),
    { numRuns: 50 },
  );
});
