import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, OPERATOR, openHostedPage, putCustomer, ticketOf } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onEachEngine('a hosted page that opens while its user’s sessions are ended', (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  /** The next transaction does its work, and isn't committed until it's released. */
  const holdTransaction = () => {
    const { database } = flow.stage.app;
    const { transaction } = database;
    const [worked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = (work: Parameters<typeof transaction>[0]) => {
      Object.assign(database, { transaction });
      return transaction(async (tx) => {
        const result = await work(tx);
        worked.resolve();
        await released.promise;
        return result;
      });
    };
    Object.assign(database, { transaction: hold });
    return { worked: worked.promise, release: released.resolve };
  };

  /** On SQLite, there is only one writer at a time, so it waits for the other's commit in any case. */
  const waitForLock = async (): Promise<void> => {
    if (engine === 'sqlite') return;
    const sql = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitUntil('someone waits', async () => (await flow.stage.app.database.all(sql)).length > 0);
  };

  test('is closed with them', async () => {
    await putCustomer(flow.stage, 'moment');
    const { page } = await createConnectSession(flow.stage, 'moment', { user: 'leaving' });
    const held = holdTransaction();
    const opening = openHostedPage(flow.stage, ticketOf(page));
    await held.worked;
    const url = '/api/operator/teams/moment/sessions?user=leaving';
    const ending = flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR }).then((answer) => answer);
    await waitForLock();
    held.release();
    assert.equal((await ending).statusCode, 204);
    const { cookie } = await opening;
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401);
    assert.deepEqual(await flow.stage.app.database.all('select id from connect_sessions'), []);
  });
});
