import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, OPERATOR, openHostedPage, putCustomer, ticketOf } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdTransaction } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onEachEngine('what opens for a user while their sessions are ended', (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  /** On SQLite, there is only one writer at a time, so it waits for the other's commit in any case. */
  const waitForLock = async (): Promise<void> => {
    if (engine === 'sqlite') return;
    const sql = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitUntil('someone waits', async () => (await flow.stage.app.database.all(sql)).length > 0);
  };

  /** Until someone begins the next one. What they have read before is from before the commit. */
  const waitForTransaction = (): Promise<void> =>
    new Promise((resolve) => {
      const { database } = flow.stage.app;
      const { transaction } = database;
      const begin: typeof transaction = (work) => {
        Object.assign(database, { transaction });
        resolve();
        return transaction(work);
      };
      Object.assign(database, { transaction: begin });
    });

  test('is closed with them: a hosted page', async () => {
    await putCustomer(flow.stage, 'moment');
    const { page } = await createConnectSession(flow.stage, 'moment', { user: 'leaving' });
    const held = holdTransaction(flow.stage.app.database);
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

  test('is refused: a connect session of someone who is being removed', async () => {
    const { database } = flow.stage.app;
    await putCustomer(flow.stage, 'removal');
    await createConnectSession(flow.stage, 'removal', { user: 'leaving' });
    const held = holdTransaction(database);
    const url = '/api/operator/teams/removal';
    const ask = (method: 'DELETE' | 'POST', path: string, payload?: object) =>
      flow.stage.server.inject({ method, url: `${url}${path}`, headers: OPERATOR, ...(payload && { payload }) });
    const removing = ask('DELETE', '/users/leaving').then((answer) => answer);
    await held.worked;
    const creating = ask('POST', '/sessions', { user: { key: 'leaving' } }).then((answer) => answer);
    await waitForTransaction();
    held.release();
    assert.equal((await removing).statusCode, 204);
    expectRefused(await creating, 409, 'operator.user_removed');
  });
});
