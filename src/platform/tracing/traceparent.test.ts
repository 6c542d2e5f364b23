import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceparent, printTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a traceparent is read and printed', () => {
  const sampled = { traceId: TRACE, spanId: SPAN, isSampled: true };
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), sampled);
  assert.equal(printTraceparent(sampled), `00-${TRACE}-${SPAN}-01`);
  const unsampled = { ...sampled, isSampled: false };
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-00`), unsampled);
  assert.equal(printTraceparent(unsampled), `00-${TRACE}-${SPAN}-00`);
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-03-what-comes-later`), sampled);
});

for (const malformed of [
  undefined,
  '',
  [`00-${TRACE}-${SPAN}-01`],
  TRACE,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01.more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
])
  test(`a traceparent that is not valid names no trace: ${JSON.stringify(malformed)}`, () => {
    assert.equal(parseTraceparent(malformed), null);
  });
