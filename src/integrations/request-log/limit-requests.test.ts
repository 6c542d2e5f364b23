import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planRemovals } from './limit-requests.ts';

const MOST = 1_000;
const plan = (counts: Record<string, number>, added: Record<string, number> = {}) =>
  planRemovals(
    Object.entries(counts).map(([caller, number]) => ({ caller, number })),
    new Map(Object.entries(added)),
    MOST,
  );

test('nothing is removed up to the limit', () => {
  assert.deepEqual(plan({ flood: 900, quiet: 100 }, { flood: 900 }), []);
});

test('what a caller with more than a tenth has added pushes out only its own requests', () => {
  assert.deepEqual(plan({ large: 700, flood: 350, quiet: 100 }, { flood: 150 }), [{ caller: 'flood', most: 150 }]);
});

test('what small callers have added pushes out the requests of the largest', () => {
  assert.deepEqual(plan({ large: 960, quiet: 50 }, { quiet: 10 }), [{ caller: 'large', most: 10 }]);
});

test('if all callers are small, the oldest requests go', () => {
  const counts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`caller ${index}`, 60]));
  assert.deepEqual(plan(counts, counts), [{ caller: null, most: 200 }]);
});

test('exactly the excess is removed, and nobody loses the tenth that everybody has', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1_500), fc.nat(1_500)), { maxLength: 20 }), (callers) => {
      const counts = callers.map(([number], index) => ({ caller: `${index}`, number }));
      const added = new Map(callers.map(([number, more], index) => [`${index}`, Math.min(number, more)]));
      const removals = planRemovals(counts, added, MOST);
      const total = counts.reduce((sum, { number }) => sum + number, 0);
      const removed = removals.reduce((sum, { most }) => sum + most, 0);
      assert.equal(removed, Math.max(0, total - MOST));
      for (const { caller, number } of counts) {
        const own = removals.filter((removal) => removal.caller === caller).reduce((sum, { most }) => sum + most, 0);
        assert.ok(own === 0 || number - own >= MOST / 10, `${caller} keeps ${number - own} of ${number}`);
      }
    }),
  );
});
