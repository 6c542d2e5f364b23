import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planRemovals } from './plan-removals.ts';

const MOST = 1_000;

/** `ann/1` is a token of Ann, and a name without a number is a person who needs no other. */
const userIdOf = (caller: string): string => caller.split('/')[0] ?? '';

const plan = (counts: Record<string, number>, added: Record<string, number> = {}) =>
  planRemovals(
    Object.entries(counts).map(([caller, number]) => ({
      caller,
      userId: userIdOf(caller),
      via: 'token' as const,
      number,
    })),
    new Map(Object.entries(added)),
    MOST,
  );

const tokensOf = (person: string, number: number, requests: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: number }, (_, index) => [`${person}/${index}`, requests]));

test('nothing is removed up to the limit', () => {
  assert.deepEqual(plan({ flood: 900, quiet: 100 }, { flood: 900 }), []);
});

test('what a caller with more than a tenth has added pushes out only its own requests', () => {
  assert.deepEqual(plan({ large: 700, flood: 350, quiet: 100 }, { flood: 150 }), [{ caller: 'flood', most: 150 }]);
});

test('what small callers have added pushes out the requests of the largest', () => {
  assert.deepEqual(plan({ large: 960, quiet: 50 }, { quiet: 10 }), [{ caller: 'large', most: 10 }]);
});

test('a token with more than a tenth pushes out no requests that the same person made with another', () => {
  assert.deepEqual(plan({ 'eve/1': 800, 'eve/2': 300, 'eve/3': 50 }, { 'eve/2': 150 }), [
    { caller: 'eve/2', most: 150 },
  ]);
});

test('what a person has added with many small tokens pushes out only their own requests, evenly', () => {
  const flood = tokensOf('eve', 12, 80);
  const removals = plan({ large: 300, ...flood, 'eve/first': 5, quiet: 35 }, flood);
  assert.deepEqual(
    removals.map(({ caller, most }) => `${caller} ${most}`),
    Object.keys(flood).map((caller) => `${caller} 25`),
  );
});

test("what the operator requested for a person does not count as the person's", () => {
  const counts = [
    { caller: 'operator', userId: 'ann', via: 'operator', number: 90 },
    { caller: 'ann/1', userId: 'ann', via: 'token', number: 80 },
    { caller: 'bob', userId: 'bob', via: 'token', number: 850 },
  ] as const;
  assert.deepEqual(planRemovals(counts, new Map([['operator', 20]]), MOST), [{ caller: 'bob', most: 20 }]);
});

test('if all people are small, the oldest requests go', () => {
  const counts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`caller ${index}`, 60]));
  assert.deepEqual(plan(counts, counts), [{ caller: null, most: 200 }]);
});

test('exactly the excess is removed, and nobody loses the tenth that everybody has', () => {
  const caller = fc.tuple(fc.nat(8), fc.nat(1_500), fc.nat(1_500));
  fc.assert(
    fc.property(fc.array(caller, { maxLength: 20 }), (callers) => {
      const counts = callers.map(([person, number], index) => ({
        caller: `${person}/${index}`,
        userId: `${person}`,
        via: 'token' as const,
        number,
      }));
      const added = new Map(
        callers.map(([person, number, more], index) => [`${person}/${index}`, Math.min(number, more)]),
      );
      const removals = planRemovals(counts, added, MOST);
      const total = counts.reduce((sum, { number }) => sum + number, 0);
      const removed = removals.reduce((sum, { most }) => sum + most, 0);
      assert.equal(removed, Math.max(0, total - MOST));
      const lossOf = (name: string) => removals.find((removal) => removal.caller === name)?.most ?? 0;
      for (const own of Map.groupBy(counts, ({ userId }) => userId).values()) {
        const had = own.reduce((sum, { number }) => sum + number, 0);
        const lost = own.reduce((sum, one) => sum + lossOf(one.caller), 0);
        assert.ok(lost === 0 || had - lost >= MOST / 10, `a person keeps ${had - lost} of ${had}`);
        for (const { caller: name, number } of own) assert.ok(lossOf(name) <= number);
      }
    }),
  );
});
