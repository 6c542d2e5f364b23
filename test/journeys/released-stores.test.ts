import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { getConnection } from '../../src/integrations/connections/connection-store.ts';
import { openTokens } from '../../src/integrations/connections/connection-tokens.ts';
import {
  type Engine,
  findBreakingChanges,
  findRemade,
  getMigrationState,
  migrateDatabase,
  openDatabase,
  readMigrations,
  systemClock,
} from '../../src/platform/index.ts';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { asCustomer } from '../harness/customers.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { createReleasedStore, listReleases, migrationsOf, type Release } from '../harness/released-store.ts';

const releases = listReleases();
const [first] = releases;

test('there is a store of each version that was released', () => {
  const headings = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## v?(\d+\.\d+\.\d+)/gm)].map(([, one]) => one);
  const kept = releases.map(({ version }) => version);
  assert.deepEqual(
    headings.filter((version) => !kept.includes(version ?? '')),
    [],
  );
  assert.ok(first);
});

/** These came before the first release, so no older version ever ran on what they left behind. */
const BEFORE_THE_FIRST_RELEASE = [
  '0010-teams-customers',
  '0012-integrations-named-connections',
  '0016-telephony-erasure',
  '0020-telephony-erased-calls',
  '0025-telephony-removed-rows',
  '0026-integrations-due-by-provider',
  '0030-jobs-ready',
  '0033-events-numbered',
  '0039-telephony-calls-by-kind',
  '0044-teams-first-team',
];

/**
 * A rolling restart needs additive migrations, because the old version keeps running on the new schema. To remove
 * something, take two releases: one that no longer uses it, and one that removes it.
 */
test('every migration since the first release is additive', () => {
  const released = first ? migrationsOf(first).map(({ id }) => id) : [];
  assert.deepEqual(
    BEFORE_THE_FIRST_RELEASE.filter((id) => !released.includes(id)),
    [],
  );
  const breaking = readMigrations()
    .filter((migration) => findBreakingChanges(migration).length > 0)
    .map(({ id }) => id);
  assert.deepEqual(breaking, BEFORE_THE_FIRST_RELEASE);
});

const COLUMNS: Record<Engine, string> = {
  sqlite: 'select name, type, "notnull" as required, dflt_value as fallback from pragma_table_info($1) order by name',
  postgresql: `select column_name as name, data_type as type, is_nullable as required, column_default as fallback
    from information_schema.columns where table_name = $1 order by column_name`,
};
const INDEXES: Record<Engine, string> = {
  sqlite: `select name, sql as definition from sqlite_master where type = 'index' and tbl_name = $1 and sql is not null
    order by name`,
  postgresql: `select indexname as name, indexdef as definition from pg_indexes where tablename = $1
    and indexname not like '%\\_pkey%' order by indexname`,
};

onEachEngine('a table that a migration makes again', (engine) => {
  const remaking = readMigrations().filter(
    (migration) => findRemade(migration).length > 0 && !BEFORE_THE_FIRST_RELEASE.includes(migration.id),
  );

  test('keeps its columns and its indexes, so that an older version finds nothing changed', async () => {
    assert.ok(remaking.length > 0);
    for (const migration of remaking) {
      const store = await createTestStore(engine, { migrated: false });
      const database = openDatabase(store.settings, () => undefined);
      const earlier = readMigrations().filter(({ id }) => id < migration.id);
      await migrateDatabase(database, systemClock, earlier);
      const look = (table: string) =>
        Promise.all([COLUMNS, INDEXES].map((queries) => database.all<{ name: string }>(queries[engine], [table])));
      const tables = findRemade(migration);
      const before = await Promise.all(tables.map(({ table }) => look(table)));
      await migrateDatabase(database, systemClock, [...earlier, migration]);
      assert.deepEqual(await Promise.all(tables.map(({ table }) => look(table))), before, migration.id);
      for (const [index, { columns }] of tables.entries())
        assert.deepEqual(
          columns.sort(),
          before[index]?.[0]?.map(({ name }) => name),
          'Every column is copied.',
        );
      await database.close();
      await store.remove();
    }
  });
});

onEachEngine('a store of an earlier version', (engine) => {
  const open = async (release: Release) => {
    const store = await createReleasedStore(release, engine);
    const clock = createTestClock(Date.parse(release.takenAt));
    const env = { PATCHBAY_KEYS: release.keys };
    return createTestApp(engine, { store, clock, env });
  };

  for (const release of releases)
    test(`${release.version} is migrated, opens, and reads as it was written`, async () => {
      const { walked } = release;
      const { app, server, close } = await open(release);
      const { headers } = asCustomer(walked.customer);
      const get = async (path: string) => {
        const answer = await server.inject({ method: 'GET', url: path, headers });
        assert.equal(answer.statusCode, 200, `${path}: ${answer.body}`);
        return answer.json();
      };
      try {
        assert.deepEqual((await getMigrationState(app.database)).pending, []);
        await app.vault.verifyRing();
        const team = await app.teams.customers.get(walked.customer);
        const row = await getConnection(app.database, { teamId: team.id, provider: 'sandbox', name: 'default' });
        assert.ok(row);
        const tokens = await openTokens(app.vault, row);
        assert.equal(tokens?.accessToken.reveal(), walked.accessToken);
        assert.notEqual(tokens?.refreshToken, null);
        const { integrations } = await get('/api/integrations/status');
        const connected = integrations.find(({ provider }: { provider: string }) => provider === 'sandbox');
        assert.deepEqual([connected.status, connected.account.id], ['connected', walked.account]);

        const { calls } = await get('/api/calls?limit=100');
        const listed = calls.map(({ externalId, outcome }: (typeof walked.calls)[0]) => ({ externalId, outcome }));
        for (const call of walked.calls)
          assert.ok(
            listed.some((one: object) => JSON.stringify(one) === JSON.stringify(call)),
            call.outcome,
          );
        for (const { id } of calls) await get(`/api/calls/${id}`);
        const { events } = await get('/api/events?limit=100');
        const ids = new Set(events.map(({ id }: { id: string }) => id));
        assert.deepEqual(
          walked.events.filter((id) => !ids.has(id)),
          [],
        );
        await get(`/api/reports/${walked.week}`);
        for (const path of ['/api/audit', '/api/members', '/api/telephony/accounts', '/api/events/endpoints'])
          await get(path);
      } finally {
        await close();
      }
    });
});

test('the keys of a released store are those of the tests, and of nothing else', () => {
  for (const { keys } of releases) assert.equal(keys, SECRETS.PATCHBAY_KEYS);
});
