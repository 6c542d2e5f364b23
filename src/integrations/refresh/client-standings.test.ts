import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Queries } from '../../platform/index.ts';
import { createClientStandings } from './client-standings.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const connection = { provider: 'acme', clientId: 'c', clientOf: 'operator', authority: 'acme.example' } as const;

type Use = { connections: number; lastWorkedAt: number | null };
const never = (connections: number): Use => ({ connections, lastWorkedAt: NOW - 25 * HOUR_MS });
const lately = (connections: number): Use => ({ connections, lastWorkedAt: NOW - 23 * HOUR_MS });

/** Opens the standings on a database that counts its queries. */
const openCounting = (answer: (authority: unknown) => Promise<Use>) => {
  const seen = { now: NOW, asked: 0 };
  const get = (_: string, [, , authority]: unknown[]) => {
    seen.asked++;
    return answer(authority);
  };
  const standing = createClientStandings({ database: { get } as unknown as Queries, clock: { now: () => seen.now } });
  return { seen, standing };
};

describe('the standing of a rejected client', () => {
  test('comes from other connections that use it, first at the same host, then elsewhere', async () => {
    const cases: [Use, Use, string][] = [
      [lately(2), lately(2), 'works'],
      [never(2), never(2), 'unproven'],
      [never(2), lately(3), 'unproven'],
      [never(1), never(1), 'alone'],
      [lately(1), lately(1), 'alone'],
      [never(1), never(2), 'unproven'],
      [never(1), lately(2), 'works_elsewhere'],
    ];
    for (const [here, anywhere, expected] of cases) {
      const { standing } = openCounting(async (authority) => (authority === null ? anywhere : here));
      assert.equal(await standing(connection), expected, JSON.stringify([here, anywhere]));
    }
  });

  test('is looked up once a minute, however many connections ask for it', async () => {
    const { seen, standing } = openCounting(async () => lately(2));
    const answers = await Promise.all(Array.from({ length: 50 }, () => standing(connection)));
    assert.ok(answers.every((answer) => answer === 'works'));
    assert.equal(seen.asked, 1);
    await standing({ ...connection, authority: 'eu.acme.example' });
    assert.equal(seen.asked, 2, 'Another host is another matter.');
    seen.now += MINUTE_MS;
    await standing(connection);
    assert.equal(seen.asked, 3);
    seen.now -= HOUR_MS;
    await standing(connection);
    assert.equal(seen.asked, 4, 'Not only after an hour if the clock was set back.');
  });

  test('is looked up again after the database was unavailable', async () => {
    let away = true;
    const { standing } = openCounting(async () => (away ? Promise.reject(new Error('away')) : never(2)));
    await assert.rejects(standing(connection));
    away = false;
    assert.equal(await standing(connection), 'unproven');
  });

  test("is not looked up for a team's own client", async () => {
    const { seen, standing } = openCounting(async () => lately(2));
    assert.equal(await standing({ ...connection, clientOf: 'team' }), 'alone');
    assert.equal(seen.asked, 0);
  });
});
