import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const site = (name: string) => ({ id: `cloud-${name}`, name: `Site ${name}`, url: `https://${name}.example` });

onOneEngine('a site that is chosen while the sessions of its user end', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { atlassian: {} } }));
  const answer = { status: 200, answer: [site('one'), site('two')] };

  test('is not stored', async () => {
    const { simulator, stage } = flow;
    await putCustomer(stage, 'leaving');
    const session = await createConnectSession(stage, 'leaving', { user: 'ann' });
    simulator.fail('atlassian', 'sites', answer);
    const begun = await flow.begin(session, 'atlassian');
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }), 'atlassian');
    const held = Promise.withResolvers<void>();
    const asked = () => simulator.requestsOf('atlassian', 'sites').length;
    const before = asked();
    const { outbound } = simulator;
    const { request } = outbound;
    let isAsked = false;
    Object.assign(outbound, {
      request: async (...wanted: Parameters<typeof request>) => {
        isAsked = true;
        await held.promise;
        return request(...wanted);
      },
    });
    simulator.fail('atlassian', 'sites', answer);
    const choosing = stage.server
      .inject({
        method: 'PUT',
        url: '/api/integrations/atlassian/site',
        headers: session.headers,
        payload: { site: 'cloud-two' },
      })
      .then((given) => given);
    await waitUntil('the provider is asked', async () => isAsked, 10_000);
    const url = '/api/operator/teams/leaving/sessions?user=ann';
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers: OPERATOR })).statusCode, 204);
    held.resolve();
    const chosen = await choosing;
    Object.assign(outbound, { request });
    flow.clock.advance(1_000);
    const { integrations } = (await flow.get('/api/integrations/status', asCustomer('leaving').headers)).json();
    const { site: stored } = integrations.find((one: { provider: string }) => one.provider === 'atlassian');
    assert.deepEqual([stored, chosen.statusCode], [null, 401], `${asked() - before} requests`);
  });
});
