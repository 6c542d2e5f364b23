import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom, makeCalls } from './simulated-call.ts';

describe('simulated calls', () => {
  test('contain every kind in each round of ten, whatever the seed', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const calls = makeCalls(createRandom(seed), '+15555550100', Array(23).fill(1_000_000));
      assert.equal(calls.length, 23);
      for (const ten of [calls.slice(0, 10), calls.slice(10, 20)]) {
        assert.equal(ten.filter(({ message }) => message).length, 2, `seed ${seed}`);
        assert.deepEqual(
          ten.map(({ forward }) => forward.result).sort(),
          [
            ...Array(1).fill('busy'),
            ...Array(1).fill('given_up'),
            ...Array(3).fill('no_answer'),
            ...Array(5).fill('reached'),
          ],
          `seed ${seed}`,
        );
      }
    }
  });

  test('are the same for the same seed, and different for another', () => {
    const play = (seed: number) => makeCalls(createRandom(seed), '+15555550100', Array(12).fill(1_000_000));
    assert.deepEqual(play(7), play(7));
    assert.notDeepEqual(play(7), play(8));
  });
});
