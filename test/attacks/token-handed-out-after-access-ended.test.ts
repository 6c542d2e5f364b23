import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, startConnectStage, type Team } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onOneEngine('a caller who loses access while a token is renewed for them', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { atlassian: {} } }));
  let made = 0;

  const connected = async (): Promise<Team> => {
    const team = await flow.stage.createTeam(`renewing-${++made}`);
    const begun = await flow.begin(team.admin, 'atlassian');
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }), 'atlassian');
    flow.clock.advance(2 * 3_600_000);
    return team;
  };

  const asProgram = async ({ admin }: Team) => {
    const payload = { name: 'leaked', expiresInDays: 1 };
    const made = await flow.stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: admin.headers,
      payload,
    });
    const { id, token } = made.json();
    return { id, headers: { authorization: `Bearer ${token}` } };
  };

  /** Revokes an access token while the provider is asked for new tokens, for a request that was sent with it. */
  const askWhileRevoked = async (ask: (headers: { authorization: string }) => ReturnType<typeof flow.get>) => {
    const team = await connected();
    const { id, headers } = await asProgram(team);
    const answer = Promise.withResolvers<void>();
    const refreshes = () => flow.simulator.requestsOf('atlassian', 'refresh').length;
    const before = refreshes();
    flow.simulator.fail('atlassian', 'refresh', { until: answer.promise });
    const asking = ask(headers).then((given) => given);
    await waitUntil('the provider is asked', async () => refreshes() > before, 10_000);
    const url = `/api/tokens/${id}`;
    const revoked = await flow.stage.server.inject({ method: 'DELETE', url, headers: team.admin.headers });
    assert.equal(revoked.statusCode, 204, revoked.body);
    answer.resolve();
    const given = await asking;
    flow.simulator.mend();
    return given;
  };

  test('gets no access token of the connected account', async () => {
    const given = await askWhileRevoked((headers) => flow.post('atlassian/token', headers));
    assert.equal(given.statusCode, 401, 'An access token was handed out.');
  });

  test('does not see the sites, companies, or tenants of the connected account', async () => {
    const given = await askWhileRevoked((headers) => flow.get('/api/integrations/atlassian/sites', headers));
    assert.equal(given.statusCode, 401, given.body);
  });

  test('has nothing sent through the proxy', async () => {
    const given = await askWhileRevoked((headers) => flow.get('/api/integrations/atlassian/proxy/me', headers));
    assert.equal(given.statusCode, 401, `The provider was asked: ${given.headers['patchbay-from']}`);
  });
});
