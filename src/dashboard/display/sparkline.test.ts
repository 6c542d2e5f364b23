import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sparkline } from './sparkline.ts';

const draw = (values: (number | null)[]): string => String(sparkline({ label: 'Calls per week', values }) ?? '');
const pointsOf = (values: (number | null)[]): string => /points="([^"]*)"/.exec(draw(values))?.[1] ?? 'none';

test('one value or none makes no line', () => {
  for (const values of [[], [null, null], [7], [null, 7, null]]) assert.equal(draw(values), '');
});

test('the largest value is at the top, and zero at the bottom', () => {
  assert.equal(pointsOf([0, 5, 10]), '0,26 50,14 100,2');
});

test('values that are all equal make a level line', () => {
  assert.equal(pointsOf([8, 8, 8]), '0,2 50,2 100,2');
  assert.equal(pointsOf([0, 0]), '0,26 100,26');
});

test('a week without a value is left out, and the others stay in their place', () => {
  assert.equal(pointsOf([10, null, 10]), '0,2 100,2');
});

test('huge values stay within the drawing', () => {
  assert.equal(pointsOf([Number.MAX_SAFE_INTEGER, 1]), '0,2 100,26');
});

test('it can be read aloud, oldest first', () => {
  const line = sparkline({ label: 'Answered', values: [null, 70, 72], say: (value) => `${value}%`, tone: 'bad' });
  assert.match(String(line), /class="sparkline bad"[^>]* aria-label="Answered, oldest first: no data, 70%, 72%"/);
});
