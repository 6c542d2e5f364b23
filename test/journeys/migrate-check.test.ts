import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import {
  type Database,
  getMigrationState,
  migrateDatabase,
  openDatabase,
  readMigrations,
  systemClock,
} from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { createTestStore, onEachEngine, type TestStore } from '../harness/databases.ts';
import { runCommand } from '../harness/run-command.ts';

/** One that isn't additive, and one that is and that no other needs. */
const BREAKING = '0044-teams-first-team';
const ADDITIVE = '0045-platform-service-state';

onEachEngine('migrate --check', (engine) => {
  let store: TestStore;
  let database: Database;

  beforeEach(async () => {
    store = await createTestStore(engine, { migrated: false });
    database = openDatabase(store.settings, () => undefined);
  });

  afterEach(async () => {
    await database.close();
    await store.remove();
  });

  const migrate = (includes: (id: string) => boolean) =>
    migrateDatabase(
      database,
      systemClock,
      readMigrations().filter(({ id }) => includes(id)),
    );
  const run = (...args: string[]) =>
    runCommand(['migrate', ...args], {
      ...SECRETS,
      PATCHBAY_DATA: store.settings.dataDirectory,
      DATABASE_URL: store.settings.url?.reveal() ?? '',
    });

  test('says what would run and whether older processes survive it, and changes nothing', async () => {
    const empty = await run('--check');
    assert.equal(empty.code, 3, empty.stderr);
    assert.match(empty.stdout, /The database is empty\. All \d+ migrations would run\./);
    assert.equal((await getMigrationState(database)).applied, 0);

    await migrate((id) => id < BREAKING);
    const breaking = await run('--check');
    assert.equal(breaking.code, 4, breaking.stderr);
    assert.match(breaking.stdout, /0044-teams-first-team\n {4}not additive: create unique index teams_first/);
    assert.match(breaking.stdout, /Stop all processes of the old version first/);

    await migrate((id) => id !== ADDITIVE);
    const before = await getMigrationState(database);
    const additive = await run('--check', '--json');
    const { applied, pending } = JSON.parse(additive.stdout);
    assert.deepEqual([additive.code, applied, pending], [3, before.applied, [{ id: ADDITIVE, breaking: [] }]]);
    assert.match((await run('--check')).stdout, /All are additive/);
    assert.deepEqual(await getMigrationState(database), before);

    assert.equal((await run()).code, 0);
    const done = await run('--check');
    assert.deepEqual([done.code, done.stdout], [0, 'The database is up to date.\n']);
  });
});
