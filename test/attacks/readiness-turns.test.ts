import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workFor } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const POOL = 6;
const LOCK = 'select pg_advisory_xact_lock(7)';
const WAITING = "select 1 as one from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";

/** Whoever isn't ready is taken out of service, for everyone. */
describe('readiness, while strangers have more for the database than they may', () => {
  const stage = useStage(() => createTestApp('postgresql', { env: { DATABASE_POOL_SIZE: `${POOL}` } }));

  test("doesn't wait among them", async () => {
    const { database } = stage.app;
    const locked = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const holding = database.transaction(async (tx) => {
      await tx.get(LOCK);
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    const flood = Array.from({ length: POOL }, () => workFor('strangers', () => database.all(LOCK)));
    try {
      await waitUntil('some of them have begun', async () => (await database.all(WAITING)).length > 1);
      const answers = await Promise.all(Array.from({ length: 20 }, () => stage.server.inject('/readyz')));
      assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    } finally {
      over.resolve();
      await Promise.all([holding, ...flood]);
    }
  });
});
