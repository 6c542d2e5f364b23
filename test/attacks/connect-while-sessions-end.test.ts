import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdTransaction } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a connect that is begun with a connect session while the operator ends it', (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  const begin = async (team: string) => {
    await putCustomer(flow.stage, team);
    const session = await createConnectSession(flow.stage, team, { user: 'leaving' });
    // From here on, the caller is cached.
    await flow.begin(session);
    return session;
  };

  test('connects nothing, though the session was still admitted from the cache', async () => {
    const session = await begin('ended');
    const held = holdTransaction(flow.stage.app.database);
    const url = '/api/operator/teams/ended/sessions?user=leaving';
    const ending = flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR }).then((answer) => answer);
    await held.worked;
    flow.clock.advance(1);
    const late = await flow.begin(session);
    held.release();
    assert.equal((await ending).statusCode, 204);
    const before = flow.exchanges();
    const arrived = await flow.arrive(flow.consent(late.authorizationUrl), { cookie: late.cookie });
    expectRefused(arrived, 400, 'integrations.state_invalid');
    const { pathname, search } = new URL(late.connectUrl);
    expectRefused(await flow.get(`${pathname}${search}`), 410, 'integrations.ticket_invalid');
    assert.equal(flow.exchanges(), before, 'A token request was made.');
    assert.equal(await flow.statusOf(asCustomer('ended')), 'disconnected');
  });

  test('can be finished after the session has expired by itself', async () => {
    const session = await begin('expired');
    const { authorizationUrl, cookie } = await flow.begin(session);
    const sql = 'update connect_sessions set expires_at = $1';
    await flow.stage.app.database.run(sql, [flow.clock.now()]);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
  });
});
