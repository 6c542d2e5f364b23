import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inOrder } from './in-order.ts';

const ITEMS = Array.from({ length: 20 }, (_, index) => index);

describe('work on many items', () => {
  test('is done a few at a time, and its results are in the order of the items', async () => {
    const waiting: (() => void)[] = [];
    const done: number[] = [];
    let most = 0;
    const results = await inOrder(
      ITEMS,
      async (item) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        most = Math.max(most, waiting.push(resolve));
        // The item that began last is done first.
        setImmediate(() => waiting.pop()?.());
        await promise;
        return `result ${item}`;
      },
      (count) => done.push(count),
    );
    assert.deepEqual(
      results,
      ITEMS.map((item) => `result ${item}`),
    );
    assert.deepEqual(
      done,
      ITEMS.map((item) => item + 1),
    );
    assert.equal(most, 4);
  });

  test('ends with the first that fails: no other is begun, and those under way are awaited', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const slow = Promise.withResolvers<void>();
    const working = inOrder(
      ITEMS,
      async (item) => {
        begun.push(item);
        if (item === 1) throw new Error('broken');
        await slow.promise;
        ended.push(item);
      },
      () => undefined,
    );
    setImmediate(slow.resolve);
    await assert.rejects(working, /broken/);
    assert.deepEqual(
      [begun, ended],
      [
        [0, 1, 2, 3],
        [0, 2, 3],
      ],
    );
  });
});
