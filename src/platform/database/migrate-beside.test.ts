import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { createTestStore } from '../../../test/harness/databases.ts';
import { systemClock } from '../clock.ts';
import { migrateBeside } from './migrate-beside.ts';
import { MigrationRefused } from './migrate-database.ts';
import { MIGRATIONS } from './migration-state.ts';
import { openDatabase } from './open-database.ts';

/** A migration that takes SQLite seconds. */
const LONG = `create table numbers as
  with recursive n (value) as (select 1 union all select value + 1 from n where value < 3000000) select value from n;
  create index numbers_by_value on numbers (value);`;
/**
 * The event loop may be blocked for this share of the migration. A loop that waits for the migration is blocked for all
 * of it.
 */
const MOST_SILENT_SHARE = 1 / 4;

const openStage = async (context: TestContext) => {
  const store = await createTestStore('sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  cpSync(MIGRATIONS, folder, { recursive: true });
  const database = openDatabase(store.settings, () => undefined);
  context.after(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
    await store.remove();
  });
  const migrate = () => migrateBeside(database, store.settings, systemClock, folder);
  return { folder, database, migrate };
};

test('a long migration does not block the event loop', async (context) => {
  const { folder, database, migrate } = await openStage(context);
  writeFileSync(join(folder, '9999-platform-long.sql'), LONG);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const begun = performance.now();
  assert.deepEqual(await migrate(), ['9999-platform-long']);
  const tookMs = performance.now() - begun;
  delay.disable();
  const silentMs = delay.max / 1e6;
  assert.ok(tookMs > 500, `It took only ${tookMs} ms, which shows nothing.`);
  assert.ok(silentMs < tookMs * MOST_SILENT_SHARE, `The event loop stood still for ${silentMs} ms of ${tookMs}.`);
  const { n } = (await database.get<{ n: number }>('select count(*) as n from numbers')) ?? {};
  assert.equal(n, 3_000_000);
  assert.deepEqual(await migrate(), []);
});

test('a migration that does not match is rejected in the same words', async (context) => {
  const { folder, migrate } = await openStage(context);
  rmSync(join(folder, '0001-teams-teams.sql'));
  writeFileSync(join(folder, '9999-platform-other.sql'), 'select 1');
  await assert.rejects(migrate(), MigrationRefused);
});

test('a broken migration changes nothing, and reports the error', async (context) => {
  const { folder, database, migrate } = await openStage(context);
  writeFileSync(join(folder, '9999-platform-broken.sql'), 'create table halves (id text); create tabel rest (id text)');
  await assert.rejects(migrate(), /tabel/);
  assert.equal(await database.get("select name from sqlite_schema where name = 'halves'"), undefined);
});
