import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, OPERATOR, openHostedPage, putCustomer, ticketOf } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a connect session whose team was deleted', (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  test('works no more, though the team is still being erased, and neither do its hosted pages', async () => {
    await putCustomer(flow.stage, 'gone');
    const session = await createConnectSession(flow.stage, 'gone');
    const { page } = await createConnectSession(flow.stage, 'gone');
    const { cookie } = await openHostedPage(flow.stage, ticketOf(session.page));
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 200);
    assert.equal((await flow.get('/api/integrations/status', session.headers)).statusCode, 200);

    const url = '/api/operator/teams/gone';
    const deleted = await flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR });
    assert.equal(deleted.statusCode, 202);
    const left = await flow.stage.app.database.all('select id from connect_sessions');
    assert.ok(left.length > 0, 'The erasure has not reached them.');
    for (const path of ['status', 'providers'])
      expectRefused(await flow.get(`/api/integrations/${path}`, session.headers), 401, 'http.unauthorized');
    for (const path of ['github/connect', 'github/disconnect'])
      expectRefused(await flow.post(path, session.headers), 401, 'http.unauthorized');
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401);
    assert.equal((await flow.get(page)).statusCode, 410);
    assert.equal((await openHostedPage(flow.stage, ticketOf(page))).statusCode, 410);
  });
});
