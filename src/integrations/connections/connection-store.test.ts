import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { readMigrations } from '../../platform/database/migration-state.ts';
import { type Database, migrateDatabase, openDatabase, systemClock } from '../../platform/index.ts';
import { getConnection, insertConnection, listConnections, listConnectionsTo } from './connection-store.ts';

const WITH_NAMES = /-integrations-named-connections$/;

onEachEngine('connections in the database', (engine) => {
  let store: TestStore;
  let database: Database;

  before(async () => {
    store = await createTestStore(engine, { migrated: false });
    database = openDatabase(store.settings, () => undefined);
    const migrations = readMigrations();
    const earlier = migrations.slice(
      0,
      migrations.findIndex(({ id }) => WITH_NAMES.test(id)),
    );
    assert.ok(earlier.length > 0);
    await migrateDatabase(database, systemClock, earlier);
    await database.run(
      `insert into teams (id, name, time_zone, payload_days, created_at) values ('team-1', 'Team', 'UTC', 30, 0)`,
    );
    await database.run(
      `insert into users (id, team_id, email, role, created_at) values ('user-1', 'team-1', 'user@team.example', 'member', 0)`,
    );
    await database.run(
      `insert into connections (id, team_id, provider, generation, status, details, client_id, client_of, authority,
          scopes_asked, access_token, connected_at, connected_by, failures, lease_number)
        values ('old', 'team-1', 'github', 1, 'connected', '{}', 'client', 'operator', 'github.com', '[]', 'sealed', 1, 'user-1', 0, 0)`,
    );
    await migrateDatabase(database, systemClock, migrations);
  });
  after(async () => {
    await database.close();
    await store.remove();
  });

  const key = (name: string) => ({ teamId: 'team-1', provider: 'github', name });

  test('are named default if they were made before names', async () => {
    const old = await getConnection(database, key('default'));
    assert.equal(old?.id, 'old');
    assert.equal(await getConnection(database, key('work')), undefined);
  });

  test('have one row for each name, and the default is listed first', async () => {
    const old = await getConnection(database, key('default'));
    assert.ok(old);
    assert.equal(await insertConnection(database, { ...old, id: 'again' }), 0);
    for (const name of ['work', 'a_b', 'a-b'])
      assert.equal(await insertConnection(database, { ...old, id: name, name }), 1);
    await insertConnection(database, { ...old, id: 'other', provider: 'asana', name: 'zoo' });
    const names = ['default', 'a-b', 'a_b', 'work'];
    assert.deepEqual(
      (await listConnectionsTo(database, 'team-1', 'github')).map(({ name }) => name),
      names,
    );
    assert.deepEqual(
      (await listConnections(database, 'team-1')).map(({ name }) => name),
      ['zoo', ...names],
    );
    assert.deepEqual(await listConnectionsTo(database, 'team-2', 'github'), []);
  });
});
