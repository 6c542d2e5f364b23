import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase, workFor } from '../../src/platform/index.ts';
import { createTestStore } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const POOL = 6;
const LOCK = 'select pg_advisory_xact_lock(7)';
const WAITING = "select 1 as one from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";

const openStage = async () => {
  const store = await createTestStore('postgresql');
  const database = openDatabase({ ...store.settings, poolSize: POOL }, () => undefined);
  return {
    database,
    async close(): Promise<void> {
      await database.close();
      await store.remove();
    },
  };
};

/** A million calls make reads slow. Here they wait for a lock instead, which takes as long as the test wants. */
describe('a team whose reads take long', () => {
  const stage = useStage(openStage);

  const countWaiting = async (): Promise<number> => (await stage.database.all(WAITING)).length;

  /** Meanwhile, nothing that takes the lock ends. */
  const whileLocked = async (work: () => Promise<void>): Promise<void> => {
    const locked = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const holding = stage.database.transaction(async (tx) => {
      await tx.get(LOCK);
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    await work().finally(over.resolve);
    await holding;
  };

  const READS = {
    'short reads': (text: string) => stage.database.all(text),
    'long reads': (text: string) => stage.database.scan(text, []),
  };

  for (const [name, read] of Object.entries(READS))
    test(`leaves connections to the database for everyone else: ${name}`, async () => {
      let flood: Promise<unknown>[] = [];
      await whileLocked(async () => {
        flood = Array.from({ length: 3 * POOL }, () => workFor('greedy', () => read(LOCK)));
        await waitUntil('some of them have begun', async () => (await countWaiting()) > 0);
        assert.equal((await workFor('other', () => read('select 1 as one'))).length, 1);
        assert.ok((await countWaiting()) <= POOL / 3);
      });
      await Promise.all(flood);
    });
});
