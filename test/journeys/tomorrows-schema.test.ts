import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Database,
  findBreakingChanges,
  getMigrationState,
  migrateDatabase,
  openDatabase,
  readMigrations,
  systemClock,
} from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { asCustomer, OPERATOR } from '../harness/customers.ts';
import { createTestStore, onEachEngine, type TestStore } from '../harness/databases.ts';
import { runCommand } from '../harness/run-command.ts';
import { type Serving, startServe } from '../harness/serve-process.ts';
import { tomorrowsMigration } from '../harness/tomorrows-migration.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { walkThrough } from '../harness/walk-through.ts';

onEachEngine('a process that runs while a newer version migrates its database', (engine) => {
  let store: TestStore;
  let database: Database;
  let serving: Serving;
  const settings = () => ({
    ...SECRETS,
    PATCHBAY_DATA: store.settings.dataDirectory,
    DATABASE_URL: store.settings.url?.reveal() ?? '',
  });

  before(async () => {
    store = await createTestStore(engine);
    serving = await startServe(settings());
    await serving.ready();
    database = openDatabase(store.settings, () => undefined);
    await migrateDatabase(database, systemClock, [...readMigrations(), tomorrowsMigration()]);
  });

  after(async () => {
    await serving.end();
    await database.close();
    await store.remove();
  });

  test('is ready, and everything works as before', async () => {
    assert.deepEqual(findBreakingChanges(tomorrowsMigration()), []);
    assert.equal((await serving.fetch('/readyz')).status, 200);
    await walkThrough(serving);
    assert.deepEqual((await getMigrationState(database)).unknown, ['9999-platform-tomorrow']);
  });

  test('leaves jobs that it does not know to the newer version, and passes on events that it does not know', async () => {
    const name = 'do-something-new';
    await database.run(
      `insert into jobs (id, name, payload, state, attempts, attempts_allowed, created_at, run_at, ready)
       values ('of-tomorrow', $1, '{}', 'queued', 0, 8, 0, 0, 1)`,
      [name],
    );
    const { headers } = asCustomer('walked');
    await database.run("update events set type = 'call.transcribed' where type = 'call.missed'");
    const { events } = JSON.parse(await (await serving.fetch('/api/events?limit=100', { headers })).text());
    assert.ok(events.some(({ type }: { type: string }) => type === 'call.transcribed'));
    const removed = await serving.fetch('/api/operator/teams/walked', { method: 'DELETE', headers: OPERATOR });
    assert.equal(removed.status, 202);
    await waitUntil('jobs of its own are done', async () => {
      const row = await database.get<{ n: number }>('select count(*) as n from connections');
      return row?.n === 0;
    });
    const job = await database.get('select state, attempts from jobs where name = $1', [name]);
    assert.deepEqual({ ...job }, { state: 'queued', attempts: 0 });
    assert.ok(serving.isRunning());
  });

  test('commands and processes that are started now refuse, and say which version to use', async () => {
    const refused = await runCommand(['team', 'list'], settings());
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /newer than this version.+9999-platform-tomorrow/);
    const checked = await runCommand(['migrate', '--check', '--json'], settings());
    assert.deepEqual([checked.code, JSON.parse(checked.stdout).unknown], [1, ['9999-platform-tomorrow']]);
  });
});
