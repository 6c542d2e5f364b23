import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onOneEngine('a disconnect while the sessions of its user end', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {} } }));

  test('removes nothing if they end before it has', async () => {
    const { stage } = flow;
    const { vault } = stage.app;
    await putCustomer(stage, 'leaving');
    const session = await createConnectSession(stage, 'leaving', { user: 'ann' });
    const begun = await flow.begin(session, 'github');
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }), 'github');

    const held = Promise.withResolvers<void>();
    const { open } = vault;
    let isPreparing = false;
    Object.assign(vault, {
      open: async (...wanted: Parameters<typeof open>) => {
        isPreparing = true;
        await held.promise;
        return open(...wanted);
      },
    });
    const disconnecting = flow.post('github/disconnect', session.headers);
    const given = disconnecting.then((response) => response.statusCode);
    await waitUntil('the revocation is being prepared', async () => isPreparing, 10_000);
    const url = '/api/operator/teams/leaving/sessions?user=ann';
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers: OPERATOR })).statusCode, 204);
    held.resolve();
    assert.equal(await given, 401);
    Object.assign(vault, { open });
    assert.equal(await flow.statusOf(asCustomer('leaving'), 'github'), 'connected');
  });
});
