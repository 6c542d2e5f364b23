import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Queries } from '../platform/index.ts';
import { createWorkingClients } from './working-clients.ts';

const MINUTE_MS = 60_000;
const connection = { provider: 'acme', clientId: 'c', clientOf: 'operator', authority: 'acme.example' } as const;

/** Counts what it is asked. */
const openCounting = (answer: () => Promise<unknown>) => {
  const seen = { now: Date.parse('2026-11-15T12:00:00Z'), asked: 0 };
  const get = () => {
    seen.asked++;
    return answer();
  };
  const works = createWorkingClients({ database: { get } as unknown as Queries, clock: { now: () => seen.now } });
  return { seen, works };
};

describe('whether a client works', () => {
  test('is looked up once a minute, however many connections ask', async () => {
    const { seen, works } = openCounting(async () => ({ one: 1 }));
    const answers = await Promise.all(Array.from({ length: 50 }, () => works(connection)));
    assert.ok(answers.every((answer) => answer));
    assert.equal(seen.asked, 1);
    await works({ ...connection, authority: 'eu.acme.example' });
    assert.equal(seen.asked, 2, 'Another host is another matter.');
    seen.now += MINUTE_MS;
    await works(connection);
    assert.equal(seen.asked, 3);
  });

  test('is asked again after the database was away', async () => {
    let away = true;
    const { works } = openCounting(async () => (away ? Promise.reject(new Error('away')) : undefined));
    await assert.rejects(works(connection));
    away = false;
    assert.equal(await works(connection), false);
  });

  test("is not known of a team's own", async () => {
    const { seen, works } = openCounting(async () => ({ one: 1 }));
    assert.equal(await works({ ...connection, clientOf: 'team' }), false);
    assert.equal(seen.asked, 0);
  });
});
