import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { systemClock } from '../clock.ts';
import type { Database } from './database.ts';
import {
  getMigrationState,
  type Migration,
  MigrationRefused,
  migrateDatabase,
  readMigrations,
} from './migrate-database.ts';
import { openDatabase } from './open-database.ts';

const known = readMigrations();
const extra: Migration = {
  id: '9000-test-extra',
  text: 'create table extra (id text); create index extra_id on extra (id)',
  digest: 'x',
};

onEachEngine('migrations', (engine) => {
  let store: TestStore;
  let databases: Database[];

  beforeEach(async () => {
    store = await createTestStore(engine);
    databases = Array.from({ length: 4 }, () => openDatabase(store.settings, () => undefined));
  });

  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await store.remove();
  });

  const first = () => databases[0] as Database;

  test('if several processes start at once, one migrates', async () => {
    const applied = await Promise.all(
      databases.map((database) => migrateDatabase(database, systemClock, [...known, extra])),
    );
    assert.deepEqual(applied.flat(), [extra.id]);
    assert.deepEqual(await getMigrationState(first(), [...known, extra]), {
      applied: known.length + 1,
      expected: known.length + 1,
      pending: [],
      unknown: [],
    });
  });

  test('a pending migration shows in the state', async () => {
    assert.deepEqual((await getMigrationState(first(), [...known, extra])).pending, [extra.id]);
  });

  test('a database newer than the code is rejected', async () => {
    await migrateDatabase(first(), systemClock, [...known, extra]);
    await assert.rejects(migrateDatabase(first(), systemClock, known), MigrationRefused);
    assert.deepEqual((await getMigrationState(first(), known)).unknown, [extra.id]);
  });

  test('a migration that was changed after it ran is rejected', async () => {
    await migrateDatabase(first(), systemClock, [...known, extra]);
    await assert.rejects(
      migrateDatabase(first(), systemClock, [...known, { ...extra, digest: 'y' }]),
      MigrationRefused,
    );
  });

  test('a migration that fails leaves nothing behind', async () => {
    const broken = { id: '9001-test-broken', text: 'create table half (id text); select * from nowhere', digest: 'z' };
    await assert.rejects(migrateDatabase(first(), systemClock, [...known, broken]));
    assert.deepEqual((await getMigrationState(first(), known)).pending, []);
    await assert.rejects(first().get('select * from half'));
  });
});
