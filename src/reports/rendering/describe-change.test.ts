import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { describeChange, formatCount, formatSeconds } from './describe-change.ts';

describe('a week compared with the week before', () => {
  for (const [value, before, words] of [
    [0, 0, 'same as the week before'],
    [40, 40, 'same as the week before'],
    [3, 0, '3 more than the week before (0)'],
    [3, 1, '2 more than the week before (1)'],
    [0, 9, '9 fewer than the week before (9)'],
    [1_000_000, 9, '999,991 more than the week before (9)'],
    [15, 10, '50% more than the week before (10)'],
    [30, 40, '25% fewer than the week before (40)'],
    [0, 40, '100% fewer than the week before (40)'],
    [10_149, 10_000, '1% more than the week before (10,000)'],
    [10_151, 10_000, '2% more than the week before (10,000)'],
    [2, 3_000, '100% fewer than the week before (3,000)'],
    [1_054, 100, '11 times as many as the week before (100)'],
    [1_049, 100, '10 times as many as the week before (100)'],
    [1_000, 100, '10 times as many as the week before (100)'],
    [1_001, 1_000, 'about the same as the week before (1,000)'],
    [999, 100, '899% more than the week before (100)'],
    [1_000_000, 10, '100,000 times as many as the week before (10)'],
  ] as const)
    test(`${value} after ${before}: ${words}`, () => assert.equal(describeChange({ value, before }), words));

  for (const [value, before, words] of [
    [300, 60, '4 min more than the week before (1 min)'],
    [60, 599, '8 min 59 s less than the week before (9 min 59 s)'],
    [4_500, 3_600, '25% more than the week before (1 h 0 min)'],
    [3_600, 3_600, 'same as the week before'],
  ] as const)
    test(`${value} seconds after ${before}: ${words}`, () =>
      assert.equal(describeChange({ value, before }, 'seconds'), words));

  test('there is nothing to say about the first week', () =>
    assert.equal(describeChange({ value: 12, before: null }), null));

  test('small numbers never become percentages', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000), fc.nat(9), (value, before) => {
        assert.doesNotMatch(describeChange({ value, before }) ?? '', /%|times|NaN|Infinity/);
      }),
    );
  });

  test('the direction is always right', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(100_000), (value, before) => {
        const words = describeChange({ value, before }) ?? '';
        if (words.includes('fewer')) assert.ok(value < before);
        else if (/more|times/.test(words)) assert.ok(value > before);
        else assert.ok(Math.abs(value - before) <= before / 100);
      }),
    );
  });
});

test('seconds are rounded before they are split into minutes and hours', () => {
  assert.deepEqual([0.4, 0.5, 59.4, 59.5, 119.6, 3_599.4, 3_599.5, 7_199].map(formatSeconds), [
    '0 s',
    '1 s',
    '59 s',
    '1 min',
    '2 min',
    '59 min 59 s',
    '1 h 0 min',
    '1 h 59 min',
  ]);
});

test('counts and seconds are formatted for people', () => {
  assert.deepEqual([0, 9.1, 1_000_000].map(formatCount), ['0', '9.1', '1,000,000']);
  assert.deepEqual([0, 42, 60, 125, 3_600, 3_661, 4_442_700].map(formatSeconds), [
    '0 s',
    '42 s',
    '1 min',
    '2 min 5 s',
    '1 h 0 min',
    '1 h 1 min',
    '1,234 h 5 min',
  ]);
});
