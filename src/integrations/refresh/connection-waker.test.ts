import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Queries } from '../../platform/index.ts';
import { createConnectionWaker } from './connection-waker.ts';

const MINUTE_MS = 60_000;
const revived = { provider: 'acme', clientId: 'c', clientOf: 'operator', authority: 'acme.example' } as const;

/** A database with this many connections that were given up on. */
const openWaking = (givenUp: number) => {
  const seen = { now: Date.parse('2026-11-16T12:00:00Z'), left: givenUp, pieces: [] as number[] };
  const run = async (_: string, [, , , , limit]: unknown[]) => {
    const piece = Math.min(Number(limit), seen.left);
    seen.left -= piece;
    seen.pieces.push(piece);
    return piece;
  };
  const wake = createConnectionWaker({ database: { run } as unknown as Queries, clock: { now: () => seen.now } });
  return { seen, wake };
};

describe('connections that were given up', () => {
  test('all become due in batches when one of them recovers', async () => {
    const { seen, wake } = openWaking(1_200);
    await wake(revived);
    assert.deepEqual(seen.pieces, [500, 500, 200]);
  });

  test('do not become due again for each one that recovers within ten minutes', async () => {
    const { seen, wake } = openWaking(1);
    await wake(revived);
    seen.now += 9 * MINUTE_MS;
    await wake(revived);
    assert.equal(seen.pieces.length, 1);
    await wake({ ...revived, authority: 'eu.acme.example' });
    assert.equal(seen.pieces.length, 2, 'Another host is another matter.');
    seen.now += MINUTE_MS;
    await wake(revived);
    assert.equal(seen.pieces.length, 3);
  });

  test("are left alone if the recovered one uses a team's own client", async () => {
    const { seen, wake } = openWaking(1);
    await wake({ ...revived, clientOf: 'team' });
    assert.deepEqual(seen.pieces, []);
  });
});
