import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../../test/harness/app.ts';
import type { Database } from '../../platform/index.ts';
import { createWaitingReader } from './waiting-deliveries.ts';

const DAY_MS = 86_400_000;

describe('reading the deliveries that wait', () => {
  /** Starts a reader for this many waiting deliveries. */
  const startReader = (count: number, workMs = DAY_MS) => {
    const clock = createTestClock();
    const rows = Array.from({ length: count }, (_, index) => ({
      id: `${index}`,
      receivedAt: clock.now() - DAY_MS - index,
    }));
    let statements = 0;
    let isAway = false;
    const all = async (_text: string, [receivedAt, , limit]: [number, string, number]) => {
      statements++;
      if (isAway) throw new Error('away');
      return rows.filter((row) => row.receivedAt < receivedAt).slice(0, limit);
    };
    const reader = createWaitingReader({ database: { all } as unknown as Database, clock }, workMs);
    return {
      next: async (size: number) => (await reader.next(size)).map(({ id }) => id),
      count: () => statements,
      setAway(away: boolean): void {
        isAway = away;
      },
    };
  };

  test('hands out each of them once, even to several who ask at the same moment', async () => {
    const { next, count } = startReader(5);
    const pages = await Promise.all([next(2), next(2), next(2), next(2), next(2)]);
    assert.deepEqual(pages, [['0', '1'], ['2', '3'], ['4'], [], []]);
    assert.equal(count(), 4, 'After the end, nobody looks again.');
  });

  test('goes on where it was after a failure', async () => {
    const { next, setAway } = startReader(3);
    assert.deepEqual(await next(2), ['0', '1']);
    setAway(true);
    await assert.rejects(next(2), /away/);
    setAway(false);
    assert.deepEqual(await next(2), ['2']);
  });

  test('ends after the time that it has', async (context) => {
    let passedMs = 0;
    context.mock.method(performance, 'now', () => passedMs);
    const { next } = startReader(5, 1_000);
    passedMs = 999;
    assert.deepEqual(await next(2), ['0', '1']);
    passedMs = 1_000;
    assert.deepEqual(await next(2), []);
  });
});
