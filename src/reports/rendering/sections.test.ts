import assert from 'node:assert/strict';
import { test } from 'node:test';
import { empty, full, viewOf } from '../../../test/harness/report-figures.ts';
import { callsBehind } from './row.ts';
import { sectionsOf } from './sections.ts';

test('the calls behind a figure are those of its week’s days', () => {
  assert.equal(callsBehind({ week: '2026-W46' }), '/calls?since=2026-11-09&until=2026-11-15');
  assert.equal(
    callsBehind({ week: '2026-W53' }, { direction: 'inbound', to: '+4940111' }),
    '/calls?since=2026-12-28&until=2027-01-03&direction=inbound&to=%2B4940111',
  );
});

test('every figure links to the rows behind it', () => {
  const without = sectionsOf(viewOf(full))
    .flatMap(({ rows }) => rows)
    .filter(({ evidence }) => evidence === null)
    .map(({ label }) => label);
  assert.deepEqual(without, ['Not shown', 'Unknown number']);
});

test('nothing has no rows behind it', () => {
  for (const { rows } of sectionsOf(viewOf(empty)))
    for (const { label, evidence } of rows) assert.equal(evidence, null, label);
});
