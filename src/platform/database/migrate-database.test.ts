import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { systemClock } from '../clock.ts';
import type { Database } from './database.ts';
import { getMigrationState, MigrationRefused, migrateDatabase, takeSetupTurn } from './migrate-database.ts';
import { describeUnknown, MIGRATIONS, type Migration, readMigrations } from './migration-state.ts';
import { openDatabase } from './open-database.ts';

const known = readMigrations();
const early = readMigrations(`${MIGRATIONS}early`);
const extra: Migration = {
  id: '9000-test-extra',
  text: 'create table extra (id text); create index extra_id on extra (id)',
  digest: 'x',
};

const WAITING_FOR_LOCKS =
  "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

const listColumns = (database: Database) =>
  database.all(
    database.engine === 'sqlite'
      ? `select t.name as "table", c.name, c.type, c."notnull", c.dflt_value, c.pk
           from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' order by 1, 2`
      : `select table_name, column_name, data_type, is_nullable, column_default
           from information_schema.columns where table_schema = current_schema() order by 1, 2`,
  );

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

  test('a process that starts while another one migrates waits, and finds it done', async () => {
    const migrate = (database: Database) => migrateDatabase(database, systemClock, [...known, extra]);
    const applied = await runTogether(first(), 'schema_migrations', [
      () => migrate(first()),
      () => migrate(databases[1] as Database),
    ]);
    assert.deepEqual(applied, [[extra.id], []]);
  });

  if (engine === 'postgresql')
    test('a migration that a running process waits for in another order is tried again', async () => {
      const changesBoth = {
        ...extra,
        text: 'alter table teams add column extra text; alter table users add column extra text',
      };
      const isWaiting = async (count: number): Promise<boolean> =>
        (await first().all(WAITING_FOR_LOCKS)).length === count;
      const migrating = Promise.withResolvers<string[]>();
      await (databases[1] as Database).transaction(async (tx) => {
        // The migration is the one that notices the deadlock, and so the one that is ended.
        await tx.run("set local deadlock_timeout = '1min'");
        await tx.all('select id from users limit 1');
        migrateDatabase(databases[2] as Database, systemClock, [...known, changesBoth]).then(
          migrating.resolve,
          migrating.reject,
        );
        await waitUntil('the migration waits', () => isWaiting(1));
        await tx.all('select id from teams limit 1');
      });
      assert.deepEqual(await migrating.promise, [extra.id]);
    });

  test('of several processes that set up a new database, one does it, and the others find it done', async () => {
    await migrateDatabase(first(), systemClock, [...known, extra]);
    const setUp = (database: Database) =>
      database.transaction(async (tx) => {
        await takeSetupTurn(tx);
        if (await tx.get('select id from extra')) return 'done already';
        await tx.run("insert into extra (id) values ('first')");
        return 'set up';
      });
    const outcomes = await runTogether(first(), 'extra', [() => setUp(first()), () => setUp(databases[1] as Database)]);
    assert.deepEqual(outcomes, ['set up', 'done already']);
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

  test('a database newer than the code, one that is too old, and one with an edited migration are told apart', async () => {
    const newer = [...known, extra];
    await migrateDatabase(first(), systemClock, newer);
    const say = async (migrations: Migration[]) =>
      describeUnknown((await getMigrationState(first(), migrations)).unknown, migrations);
    assert.match(await say(known), /^The database is newer than this version of Patchbay: it has migration 9000/);
    const changed = newer.with(0, { ...(known[0] as Migration), digest: 'edited' });
    assert.match(await say(changed), /before 0\.1 that cannot be upgraded.* its 0001-teams-teams is not/);
    assert.match(await say(newer.slice(1)), /before 0\.1 that cannot be upgraded/);
    await assert.rejects(migrateDatabase(first(), systemClock, changed), /before 0\.1 that cannot be upgraded/);
  });

  test('a migration that fails leaves nothing behind', async () => {
    const broken = { id: '9001-test-broken', text: 'create table half (id text); select * from nowhere', digest: 'z' };
    await assert.rejects(migrateDatabase(first(), systemClock, [...known, broken]));
    assert.deepEqual((await getMigrationState(first(), known)).pending, []);
    await assert.rejects(first().get('select * from half'));
  });
});

onEachEngine('a database of before 0.1', (engine) => {
  let stores: TestStore[];
  let old: Database;
  let beside: Database;
  let fresh: Database;

  beforeEach(async () => {
    stores = [await createTestStore(engine, { migrated: false }), await createTestStore(engine)];
    const open = (store: TestStore | undefined) => openDatabase((store as TestStore).settings, () => undefined);
    [old, beside, fresh] = [open(stores[0]), open(stores[0]), open(stores[1])];
  });

  afterEach(async () => {
    await Promise.all([old, beside, fresh].map((database) => database.close()));
    await Promise.all(stores.map((store) => store.remove()));
  });

  for (const count of [6, 13, early.length])
    test(`with ${count} migrations is brought up to date and loses nothing`, async () => {
      await migrateDatabase(old, systemClock, early.slice(0, count));
      await old.run(
        "insert into teams (id, name, time_zone, payload_days, created_at) values ('t', 'T', 'UTC', 30, 1)",
      );
      const { unknown, pending } = await getMigrationState(old);
      assert.deepEqual([unknown, pending], [[], known.slice(6).map(({ id }) => id)]);

      const applied = await Promise.all([old, beside].map((database) => migrateDatabase(database, systemClock)));
      assert.deepEqual(applied.flat(), pending);
      assert.deepEqual(await getMigrationState(old), await getMigrationState(fresh));
      assert.deepEqual(await listColumns(old), await listColumns(fresh));
      assert.equal((await old.get<{ name: string }>("select name from teams where id = 't'"))?.name, 'T');
    });

  test('that was changed since is left as it is', async () => {
    await migrateDatabase(old, systemClock, [...early, { ...extra, id: '0021-test-extra' }]);
    const before = await listColumns(old);
    await assert.rejects(migrateDatabase(old, systemClock), /before 0\.1 that cannot be upgraded/);
    assert.deepEqual(await listColumns(old), before);
  });
});
