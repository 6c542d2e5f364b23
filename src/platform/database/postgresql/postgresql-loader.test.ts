import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestStore } from '../../../../test/harness/databases.ts';
import { waitUntil } from '../../../../test/harness/wait-until.ts';
import { PlaceTaken } from '../loader.ts';
import { openDatabase, openLoader } from '../open-database.ts';

const WAITING = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

test('a database that is being filled on PostgreSQL is not filled by anyone else meanwhile, or afterward', async (context) => {
  const store = await createTestStore('postgresql', { migrated: false });
  const database = openDatabase(store.settings, () => undefined);
  context.after(async () => {
    await database.close();
    await store.remove();
  });
  const first = await openLoader(store.settings);
  const second = openLoader(store.settings).then((loader) => loader.close());
  const refused = assert.rejects(second, PlaceTaken);
  await waitUntil('the second waits', async () => (await database.all(WAITING)).length > 0);
  await first.tx.script("create table things (id text); insert into things values ('whole')");
  await first.commit();
  await first.close();
  await refused;
  assert.deepEqual(await database.all('select id from things'), [{ id: 'whole' }]);
});
