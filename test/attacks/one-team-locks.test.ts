import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const POOL = 10;
const AT_ONCE = 3 * POOL;
const WAITING = "select 1 as one from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

/** Each waits for the one before it, because they change the same row. On SQLite, there is only one writer anyway. */
describe('a team whose changes wait for each other', () => {
  const stage = useStage(() => createTestApp('postgresql', { env: { DATABASE_POOL_SIZE: `${POOL}` } }));
  const greedy = prepare(() => stage.createTeam('greedy'));
  const other = prepare(() => stage.createTeam('other'));

  const rename = ({ admin }: typeof greedy, name: string) =>
    stage.server.inject({ method: 'PATCH', url: '/api/team', headers: admin.headers, payload: { name } });

  const countLockWaits = async (): Promise<number> => (await stage.app.database.all(WAITING)).length;

  test('leaves connections to the database for everyone else', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = stage.app.database.transaction(async (tx) => {
      await tx.get('select id from teams where id = $1 for update', [greedy.team.id]);
      locked.resolve();
      await over;
    });
    await locked.promise;
    const flood = Array.from({ length: AT_ONCE }, (_, index) => rename(greedy, `name ${index}`));
    try {
      await waitUntil('some of them have begun', async () => (await countLockWaits()) > 1);
      const { statusCode } = await rename(other, 'another name');
      assert.equal(statusCode, 200);
    } finally {
      end();
      await holding;
    }
    for (const response of await Promise.all(flood)) assert.equal(response.statusCode, 200);
  });
});
