import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a restricted token', (engine) => {
  const flow = useStage(() =>
    startConnectStage(engine, { providers: { xero: {}, atlassian: {}, slack: {}, hubspot: {}, github: {} } }),
  );
  let made = 0;
  const newTeam = () => flow.stage.createTeam(`steered-${engine}-${++made}`);
  const connect = async (person: { headers: Record<string, string> }, provider: string) => {
    const { authorizationUrl, cookie } = await flow.begin(person, provider);
    const answer = await flow.arrive(flow.consent(authorizationUrl, { account: `person-${++made}` }), { cookie });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  const choose = ({ headers }: { headers: Record<string, string> }, id: string, provider: string) =>
    flow.stage.server.inject({
      method: 'PUT',
      url: `/api/integrations/${provider}/site`,
      headers,
      payload: { site: id },
    });

  test('cannot choose another organization than the connection has', async () => {
    const { admin } = await newTeam();
    await connect(admin, 'xero');
    const [first, second] = flow.simulator.sitesOf('xero').map(({ id }) => id);
    assert.ok(first && second);
    assert.equal((await choose(admin, first, 'xero')).statusCode, 200);
    const allow = [{ provider: 'xero', connection: 'default', paths: ['/of-the-site'] }];
    const token = await makeToken(flow.stage.server, admin.headers, { allow });
    const path = '/api/integrations/xero/proxy/of-the-site';
    await flow.get(path, token);
    assert.equal(flow.simulator.requestsOf('xero', 'site_call').at(-1)?.headers['xero-tenant-id'], first);
    await flow.get(path, { ...token, 'xero-tenant-id': second });
    assert.equal(
      flow.simulator.requestsOf('xero', 'site_call').at(-1)?.headers['xero-tenant-id'],
      first,
      'It reached the books of another organization.',
    );
  });

  test('stops when another site has taken the place of the one it was made for', async () => {
    const { admin } = await newTeam();
    await connect(admin, 'xero');
    const [first = '', second = ''] = flow.simulator.sitesOf('xero').map(({ id }) => id);
    assert.equal((await choose(admin, first, 'xero')).statusCode, 200);
    const allow = [{ provider: 'xero', connection: 'default', paths: ['/of-the-site'] }];
    const token = await makeToken(flow.stage.server, admin.headers, { allow });
    assert.equal((await choose(admin, second, 'xero')).statusCode, 200);
    flow.clock.advance(2_000);
    const answer = await flow.get('/api/integrations/xero/proxy/of-the-site', token);
    assert.equal(
      answer.headers['patchbay-from'],
      'patchbay',
      `It goes on with ${flow.simulator.requestsOf('xero', 'site_call').at(-1)?.headers['xero-tenant-id']}.`,
    );
  });

  for (const [provider, params, scope] of [
    ['slack', { user_scope: 'admin,files:read,im:history' }, 'im:history'],
    ['hubspot', { optional_scope: 'crm.objects.contacts.write' }, 'crm.objects.contacts.write'],
  ] as const)
    test(`asks for the default scopes alone at ${provider}`, async () => {
      const { admin } = await newTeam();
      const token = await makeToken(flow.stage.server, admin.headers, { can: ['connect'] });
      const begun = await flow.post(`${provider}/connect`, token, { params });
      if (begun.statusCode !== 200) return;
      const { pathname, search } = new URL(begun.json().connectUrl);
      const { headers } = await openSession(flow.stage, admin.user);
      const led = await flow.get(`${pathname}${search}`, headers);
      const asked = decodeURIComponent(String(led.headers.location));
      assert.ok(!asked.includes(scope), asked);
    });
});
