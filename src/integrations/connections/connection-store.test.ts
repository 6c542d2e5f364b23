import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { openConnectionRows } from '../../../test/harness/connection-rows.ts';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import { readMigrations } from '../../platform/database/migration-state.ts';
import { type Database, migrateDatabase, openDatabase, systemClock } from '../../platform/index.ts';
import { getClientUse, isGrantShared, wakeGivenUp, wakeGivenUpOfTeam } from './client-use-store.ts';
import type { Connection } from './connection.ts';
import {
  changeConnection,
  deleteConnection,
  getConnection,
  insertConnection,
  listConnections,
  listConnectionsTo,
  makeDue,
  takeLease,
} from './connection-store.ts';

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

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-11-15T12:00:00Z');

onEachEngine('a connection among others', (engine) => {
  const rows = useStage(() => openConnectionRows(engine));
  const database = prepare(async () => rows.database);
  afterEach(() => rows.clear());

  /** All connections of both teams, sorted by ID. */
  const readAll = async () => {
    const all = await Promise.all(['own', 'other'].map((teamId) => listConnections(database, teamId)));
    return all.flat().sort((one, other) => (one.id < other.id ? -1 : 1));
  };

  /** The IDs of the connections that are due now. */
  const listDue = async () => (await readAll()).filter(({ refreshDueAt }) => refreshDueAt === NOW).map(({ id }) => id);

  test('is changed and deleted only as it was read, and by nobody but its team', async () => {
    const row = await rows.put('one', { generation: 3, leaseNumber: 5 });
    const outdated = [{ generation: 2 }, { teamId: 'other' }, { id: 'two' }];
    for (const change of outdated) {
      assert.equal(await changeConnection(database, { ...row, ...change }, { failures: 1 }), 0, JSON.stringify(change));
      assert.equal(await deleteConnection(database, { ...row, ...change }), 0, JSON.stringify(change));
    }
    assert.equal(await changeConnection(database, row, { failures: 1 }, 4), 0, 'Someone else has the lease.');
    assert.equal(await changeConnection(database, row, { failures: 2 }, 5), 1);
    assert.equal((await readAll())[0]?.failures, 2);
    assert.equal(await deleteConnection(database, row), 1);
  });

  test('is leased only as it was read, and while nobody else holds the lease', async () => {
    const row = await rows.put('one', { generation: 3, leaseNumber: 5 });
    const take = (change: Partial<Connection>, now: number) =>
      takeLease(database, { ...row, ...change }, { owner: 'me', now, until: now + MINUTE_MS });
    for (const change of [{ generation: 2 }, { leaseNumber: 4 }, { teamId: 'other' }, { id: 'two' }])
      assert.equal(await take(change, NOW), null, JSON.stringify(change));
    assert.equal(await take({}, NOW), 6);
    assert.equal(await take({ leaseNumber: 6 }, NOW + MINUTE_MS - 1), null);
    assert.equal(await take({ leaseNumber: 6 }, NOW + MINUTE_MS), 7);
    const [{ refreshBegunAt } = assert.fail()] = await readAll();
    assert.equal(refreshBegunAt, NOW, 'The token may have been spent since the first of them.');
  });

  test('becomes due because its token was refused at most once a minute, and only as it was read', async () => {
    const row = await rows.put('one', { generation: 3 });
    const refuse = (change: Partial<Connection>, now = NOW) =>
      makeDue(database, { ...row, ...change }, { now, notSince: now - MINUTE_MS });
    for (const change of [{ generation: 2 }, { teamId: 'other' }, { id: 'two' }])
      assert.equal(await refuse(change), 0, JSON.stringify(change));
    assert.equal(await refuse({}), 1);
    assert.deepEqual(await listDue(), ['one']);
    assert.equal(await refuse({}, NOW + MINUTE_MS - 1), 0);
    assert.equal(await refuse({}, NOW + MINUTE_MS), 1);
    assert.equal(await refuse({}, NOW), 1, 'The clock was set back.');
  });

  const TOMORROW = { refreshDueAt: NOW + 24 * 60 * MINUTE_MS, status: 'needs_reconnect' } as const;

  test("is tried again with the operator's others at the same host, and with nobody else's", async () => {
    const row = await rows.put('same', TOMORROW);
    await rows.put('same-elsewhere', TOMORROW, 'other');
    await rows.put('own-client', { ...TOMORROW, clientOf: 'team' }, 'other');
    await rows.put('other-client', { ...TOMORROW, clientId: 'another' });
    await rows.put('other-host', { ...TOMORROW, authority: 'eu.acme.example' });
    await rows.put('other-provider', { ...TOMORROW, provider: 'beta' });
    await rows.put('works', { ...TOMORROW, status: 'connected' });
    await rows.put('ended', { ...TOMORROW, refreshDueAt: null });
    assert.equal(await wakeGivenUp(database, row, NOW, 1), 1, 'As many as asked for.');
    assert.equal(await wakeGivenUp(database, row, NOW, 10), 1, 'The rest, and none twice.');
    assert.deepEqual(await listDue(), ['same', 'same-elsewhere']);
  });

  test("is tried again when the team's own client is entered again, and no other team's", async () => {
    const given = { ...TOMORROW, clientOf: 'team' } as const;
    const row = await rows.put('same', given);
    await rows.put('named', given);
    await rows.put('elsewhere', given, 'other');
    await rows.put('operators', TOMORROW);
    await rows.put('other-client', { ...given, clientId: 'another' });
    await rows.put('other-provider', { ...given, provider: 'beta' });
    await rows.put('works', { ...given, status: 'connected' });
    await rows.put('ended', { ...given, refreshDueAt: null });
    await wakeGivenUpOfTeam(database, row, NOW);
    assert.deepEqual(await listDue(), ['named', 'same']);
  });

  test("says something about the operator's client only if it has not ended, and is not a team's own", async () => {
    const row = await rows.put('first', { connectedAt: NOW - 3 * MINUTE_MS });
    await rows.put('elsewhere', { connectedAt: NOW - 9 * MINUTE_MS, refreshedAt: NOW - 2 * MINUTE_MS }, 'other');
    const newest = { connectedAt: NOW };
    await rows.put('own-client', { ...newest, clientOf: 'team' }, 'other');
    await rows.put('other-client', { ...newest, clientId: 'another' });
    await rows.put('other-provider', { ...newest, provider: 'beta' });
    const useOf = async (authority: string | null) => {
      const { connections, lastWorkedAt } = await getClientUse(database, { ...row, authority }, NOW);
      return [connections, lastWorkedAt];
    };
    assert.deepEqual(await useOf('acme.example'), [2, NOW - 2 * MINUTE_MS]);
    await rows.put('other-host', { authority: 'eu.acme.example', connectedAt: NOW - MINUTE_MS });
    assert.deepEqual(await useOf('acme.example'), [2, NOW - 2 * MINUTE_MS]);
    assert.deepEqual(await useOf(null), [3, NOW - MINUTE_MS], 'At any host.');
    await rows.put('given-up', { status: 'needs_reconnect' });
    await rows.put('expired', { expiresAt: NOW });
    assert.deepEqual(await useOf(null), [3, NOW - MINUTE_MS], 'What has ended is not used.');
    await rows.put('tried-again', TOMORROW);
    assert.deepEqual(await useOf(null), [4, NOW - MINUTE_MS]);
  });

  const isShared = (one: Connection): Promise<boolean> =>
    isGrantShared(database, { ...one, authorities: [one.authority, one.authority] }, NOW);

  test('shares its grant only with the same account at the same host, through the same client', async () => {
    const row = await rows.put('one');
    const others: [string, Partial<Connection>, boolean][] = [
      ['same', {}, true],
      ['other-account', { accountId: 'account-2' }, false],
      ['unknown-account', { accountId: null }, false],
      ['other-client', { clientId: 'another' }, false],
      ['own-client', { clientOf: 'team' }, false],
      ['other-host', { authority: 'eu.acme.example' }, false],
      ['other-provider', { provider: 'beta' }, false],
      ['ended', { status: 'needs_reconnect' }, false],
      ['expired', { expiresAt: NOW }, false],
      ['tried-again', TOMORROW, true],
    ];
    assert.equal(await isShared(row), false, 'Not with itself.');
    for (const [id, changes, expected] of others) {
      const other = await rows.put(id, changes, 'other');
      assert.equal(await isShared(row), expected, id);
      await deleteConnection(database, other);
    }
    await rows.put('nobody', { accountId: null }, 'other');
    assert.equal(await isShared({ ...row, accountId: null }), false);
  });

  test('shares its grant with connections that have stored another host, if that can be the same one', async () => {
    const row = await rows.put('one', { authority: 'login.acme.example' });
    await rows.put('moved', { authority: 'auth.acme.example' }, 'other');
    const isSharedAt = (authorities: readonly [string, string] | null): Promise<boolean> =>
      isGrantShared(database, { ...row, authorities }, NOW);
    assert.equal(await isSharedAt([row.authority, row.authority]), false);
    assert.equal(await isSharedAt([row.authority, 'auth.acme.example']), true);
    assert.equal(await isSharedAt(null), true);
  });

  test('shares its grant with an account that was read from the company instead of the person, or the reverse', async () => {
    const person = await rows.put('person', { accountId: 'ann', installationId: 'inc', accountFrom: 'person' });
    const company = await rows.put('company', { accountId: 'inc', accountFrom: null }, 'other');
    assert.equal(await isShared(person), true);
    assert.equal(await isShared(company), true);
    await deleteConnection(database, company);
    await rows.put('colleague', { accountId: 'bob', installationId: 'inc', accountFrom: 'person' }, 'other');
    assert.equal(await isShared(person), false, 'A colleague has a grant of their own.');
  });
});
