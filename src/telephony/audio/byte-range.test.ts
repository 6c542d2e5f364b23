import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRange, rangeOf } from './byte-range.ts';

const part = (start: number, length: number) => ({ kind: 'part', range: { start, length } });

test('a range is read according to RFC 9110', () => {
  const cases: [string | undefined, number, object][] = [
    [undefined, 10, { kind: 'whole' }],
    ['bytes=0-', 10, part(0, 10)],
    ['bytes=0-0', 10, part(0, 1)],
    ['bytes=3-5', 10, part(3, 3)],
    ['Bytes= 3-5 ', 10, part(3, 3)],
    ['bytes=3-500', 10, part(3, 7)],
    ['bytes=9-', 10, part(9, 1)],
    ['bytes=-4', 10, part(6, 4)],
    ['bytes=-400', 10, part(0, 10)],
    ['bytes=10-', 10, { kind: 'outside' }],
    ['bytes=-0', 10, { kind: 'outside' }],
    ['bytes=0-', 0, { kind: 'outside' }],
    ['bytes=-1', 0, { kind: 'outside' }],
    ['bytes=5-3', 10, { kind: 'whole' }],
    ['bytes=0-1,4-5', 10, { kind: 'whole' }],
    ['bytes=-', 10, { kind: 'whole' }],
    ['bytes=a-b', 10, { kind: 'whole' }],
    ['items=0-1', 10, { kind: 'whole' }],
    ['bytes=99999999999999999999-', 10, { kind: 'whole' }],
  ];
  for (const [header, bytes, expected] of cases) assert.deepEqual(parseRange(header, bytes), expected, `${header}`);
});

test('whatever is requested, a part lies within the content and is not empty', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), fc.nat(100), fc.boolean(), (text, one, other, bytes, made) => {
      const asked = parseRange(made ? `bytes=${one % 120}-${other % 120}` : text, bytes);
      if (asked.kind !== 'part') return;
      const { start, length } = asked.range;
      assert.ok(start >= 0 && length > 0 && start + length <= bytes);
    }),
  );
});

test('a part belongs to the content the caller knows, or the whole is sent', () => {
  const content = { bytes: 10, etag: '"abc"' };
  assert.deepEqual(rangeOf({ range: 'bytes=1-2', 'if-range': '"abc"' }, content), part(1, 2));
  for (const other of ['"abd"', 'W/"abc"', 'abc', 'Sun, 15 Nov 2026 12:00:00 GMT', ''])
    assert.deepEqual(rangeOf({ range: 'bytes=1-2', 'if-range': other }, content), { kind: 'whole' });
});
