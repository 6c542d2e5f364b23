import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { type Database, DatabaseUnavailable, openDatabase } from '../../src/platform/index.ts';
import { createTestStore, type TestStore } from '../harness/databases.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('connections to PostgreSQL', () => {
  let store: TestStore;
  let database: Database;

  beforeEach(async () => {
    store = await createTestStore('postgresql');
    database = openDatabase(store.settings, () => undefined);
  });

  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  test('may be closed by the server at any moment without ending the process', async () => {
    const killer = new pg.Client({ connectionString: store.settings.url?.reveal() });
    await killer.connect();
    let stopped = false;
    const outcomes = { done: 0, away: 0 };
    const ask = async () => {
      while (!stopped) {
        try {
          await database.transaction((tx) => tx.get('select 1 as one'));
          outcomes.done++;
        } catch (error) {
          assert.ok(error instanceof DatabaseUnavailable, String(error));
          outcomes.away++;
        }
      }
    };
    const asking = Array.from({ length: 8 }, ask);
    for (let round = 0; round < 30 || outcomes.away === 0; round++) {
      await killer.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      const { done } = outcomes;
      await waitUntil('they work again', () => outcomes.done > done);
    }
    stopped = true;
    await Promise.all(asking);
    await killer.end();
  });

  test('do not report a transaction as done if the server rolled it back', async () => {
    let ran = false;
    const swallowing = database.transaction(async (tx) => {
      tx.afterCommit(() => {
        ran = true;
      });
      await tx.run("insert into teams (id, name, time_zone, payload_days, created_at) values ('t', 'n', 'UTC', 1, 0)");
      await tx.get('select * from nowhere').catch(() => undefined);
    });
    await assert.rejects(swallowing, /rolled back/);
    assert.equal(ran, false);
  });
});
