import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, readOperations } from '../harness/operations.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { useStage } from '../harness/use-stage.ts';

/** Everything that a connect session can do. Every other route refuses it. */
const ITS_OWN = [
  'GET /api/integrations/providers',
  'GET /api/integrations/status',
  'GET /api/integrations/{provider}/callback',
  'GET /api/integrations/{provider}/connect',
  'GET /api/integrations/{provider}/sites',
  'POST /api/integrations/{provider}/complete',
  'POST /api/integrations/{provider}/connect',
  'POST /api/integrations/{provider}/disconnect',
  'PUT /api/integrations/{provider}/key',
  'PUT /api/integrations/{provider}/site',
];
/** They read no credential of a user, so a session is nobody there. */
const NOBODYS = /^GET \/(?:healthz|readyz)$|\/api\/webhooks\//;

onOneEngine('a connect session', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, gitlab: {} } }));

  test('is refused by every route that does not say otherwise', async () => {
    await putCustomer(flow.stage, 'routes');
    const { headers } = await createConnectSession(flow.stage, 'routes');
    const { operations } = await readOperations(flow.stage.server);
    const open: string[] = [];
    for (const { name, method, path, pathParameters, wants } of operations) {
      const parameters = Object.fromEntries(
        pathParameters.map((parameter) => [parameter, parameter === 'provider' ? 'github' : 'unknown']),
      );
      const answer = toAnswer(await flow.stage.server.inject({ method, url: fillPath(path, parameters), headers }));
      if (wants === 'accessToken' && answer.status === 403) {
        assert.equal(expectProblem(answer, 403, name).code, 'operator.session_narrow');
      } else if (wants !== null && wants !== 'accessToken') {
        expectProblem(answer, 401, name);
      } else if (!NOBODYS.test(name)) {
        open.push(name);
      }
    }
    assert.deepEqual(open.sort(), ITS_OWN);
  });

  test('opens no page', async () => {
    await putCustomer(flow.stage, 'pages');
    const { headers } = await createConnectSession(flow.stage, 'pages');
    for (const url of ['/', '/calls', '/settings/members', '/integrations/github'])
      assert.equal((await flow.get(url, { ...headers, accept: 'text/html' })).statusCode, 403, url);
  });

  test('works for no other provider', async () => {
    await putCustomer(flow.stage, 'providers');
    const session = await createConnectSession(flow.stage, 'providers', { providers: ['gitlab'] });
    const { headers } = session;
    for (const action of ['connect', 'disconnect', 'complete'])
      expectRefused(await flow.post(`github/${action}`, headers), 403, 'operator.session_provider', action);
    expectRefused(
      await flow.get('/api/integrations/github/connect', headers),
      403,
      'operator.session_provider',
      'a link',
    );
    const { integrations } = (await flow.get('/api/integrations/status', headers)).json();
    assert.deepEqual([...new Set(integrations.map(({ provider }: { provider: string }) => provider))], ['gitlab']);
    const listProviders = async (query: string): Promise<string[]> => {
      const { providers } = (await flow.get(`/api/integrations/providers${query}`, headers)).json();
      return providers.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual([await listProviders(''), await listProviders('?q=git')], [['gitlab'], ['gitlab']]);
    assert.deepEqual(await listProviders('?q=github'), []);
    await flow.begin(session, 'gitlab');
  });

  test('cannot be created for a provider that does not exist, or for none', async () => {
    await putCustomer(flow.stage, 'unknown');
    const create = (body: object) =>
      flow.stage.server.inject({
        method: 'POST',
        url: '/api/operator/teams/unknown/sessions',
        headers: OPERATOR,
        payload: { user: { key: 'u1' }, ...body },
      });
    assert.equal((await create({ providers: ['nowhere'] })).statusCode, 404);
    for (const body of [
      { providers: [] },
      { providers: ['github', 'github'] },
      { expiresInSeconds: 59 },
      { expiresInSeconds: 3_601 },
      { expiresInSeconds: 1.5 },
      { user: { key: '' } },
      { user: { key: 'a b' } },
      { user: { key: 'x'.repeat(201) } },
      { user: { key: 'u', email: 'no address' } },
      { user: { key: 'u', role: 'admin' } },
      { returnTo: 'https://evil.example/' },
      { role: 'admin' },
    ])
      assert.equal((await create(body)).statusCode, 400, JSON.stringify(body));
  });

  test('finishes only what its own user began, in its own team', async () => {
    await putCustomer(flow.stage, 'one');
    await putCustomer(flow.stage, 'two');
    const mine = await createConnectSession(flow.stage, 'one', { user: 'me' });
    const park = async () => {
      const { authorizationUrl } = await flow.begin(mine);
      return expectParked(await flow.arrive(flow.consent(authorizationUrl)));
    };
    const colleague = await createConnectSession(flow.stage, 'one', { user: 'colleague' });
    expectRefused(await flow.complete(colleague, await park()), 403, 'integrations.attempt_not_yours');
    const sameKeyElsewhere = await createConnectSession(flow.stage, 'two', { user: 'me' });
    assert.equal((await flow.complete(sameKeyElsewhere, await park())).statusCode, 404);
    // Another session of the same user counts, and so does the operator when it names that user.
    expectConnected(await flow.complete(await createConnectSession(flow.stage, 'one', { user: 'me' }), await park()));
    expectConnected(await flow.complete(asCustomer('one', 'me'), await park()));
    const { events } = (await flow.get('/api/audit', asCustomer('one').headers)).json();
    const connects = events.filter(
      ({ action }: { action: string }) => action.startsWith('integration.') && action.endsWith('connect'),
    );
    const kinds = connects.map(({ actor }: { actor: { kind: string } }) => actor.kind);
    assert.deepEqual([...new Set(kinds)].sort(), ['operator', 'user']);
    expectRefused(await flow.complete(asCustomer('one'), await park()), 403, 'integrations.attempt_not_yours');
  });

  test('names its connection in the body: in the query, it would replace the default one', async () => {
    await putCustomer(flow.stage, 'naming');
    const { headers } = await createConnectSession(flow.stage, 'naming');
    assert.equal((await flow.post('github/connect?connection=work', headers)).statusCode, 400);
    const named = await flow.post('github/connect', headers, { connection: 'work' });
    assert.equal(named.json().connection, 'work');
  });

  test('sees and changes nothing of another team', async () => {
    await putCustomer(flow.stage, 'ours');
    await putCustomer(flow.stage, 'theirs');
    const ours = await createConnectSession(flow.stage, 'ours');
    const theirs = await createConnectSession(flow.stage, 'theirs');
    const { authorizationUrl, cookie } = await flow.begin(theirs);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
    assert.equal(await flow.statusOf(theirs), 'connected');
    assert.equal(await flow.statusOf(ours), 'disconnected');
    assert.equal((await flow.post('github/disconnect', ours.headers)).json().revocation, 'not_connected');
    assert.equal(await flow.statusOf(theirs), 'connected');
    const named = await flow.get('/api/integrations/status', { ...ours.headers, 'patchbay-team': 'theirs' });
    expectRefused(named, 400, 'operator.header_refused');
  });

  test('ends when its time is over', async () => {
    await putCustomer(flow.stage, 'brief');
    const { headers } = await createConnectSession(flow.stage, 'brief', { expiresInSeconds: 60 });
    flow.clock.advance(59_000);
    assert.equal((await flow.get('/api/integrations/status', headers)).statusCode, 200);
    flow.clock.advance(2_000);
    const { detail } = expectRefused(await flow.get('/api/integrations/status', headers), 401, 'http.unauthorized');
    assert.match(detail, /^This connect session has ended\. Request a new one from the product that created it\./);
  });

  test('is told apart from every other token', async () => {
    await putCustomer(flow.stage, 'shapes');
    const { token } = await createConnectSession(flow.stage, 'shapes');
    const { member } = await flow.stage.createTeam('shapes');
    const swapped = [token.replace('pbs_', 'pb_'), member.token.replace('pb_', 'pbs_'), token.slice(4), `${token}x`];
    for (const other of swapped)
      expectRefused(
        await flow.get('/api/integrations/status', { authorization: `Bearer ${other}` }),
        401,
        'http.unauthorized',
      );
  });
});
