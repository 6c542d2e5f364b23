import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSunsets } from '../scripts/find-sunsets.ts';

const TODAY = '2026-11-15';
const ending = (id: string, date: string) => ({
  id,
  sunsets: [{ date, what: 'It ends.', source: 'https://a.example' }],
});

test('a sunset is announced ninety days ahead', () => {
  const found = findSunsets([ending('near', '2027-02-13'), ending('far', '2027-02-14'), { id: 'none' }], TODAY);
  assert.deepEqual(
    found.map(({ id, daysLeft }) => [id, daysLeft]),
    [['near', 90]],
  );
});

test('a past sunset is announced until the entry is retired', () => {
  const passed = ending('passed', '2026-11-02');
  const retired = { ...passed, retired: { since: '2026-11-02', reason: 'It has ended.' } };
  assert.deepEqual(
    findSunsets([passed], TODAY).map(({ daysLeft }) => daysLeft),
    [-13],
  );
  assert.deepEqual(findSunsets([retired], TODAY), []);
});

test('the soonest comes first', () => {
  const found = findSunsets(
    [ending('later', '2026-12-24'), ending('today', TODAY), ending('past', '2025-01-01')],
    TODAY,
  );
  assert.deepEqual(
    found.map(({ id }) => id),
    ['past', 'today', 'later'],
  );
});
