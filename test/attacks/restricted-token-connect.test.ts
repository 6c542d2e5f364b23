import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookiesOf, expectConnected, expectParked, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a connect that a restricted token begins', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, gitlab: {} } }));
  let teams = 0;

  const prepare = async (rights: Record<string, unknown> = { can: ['connect'] }) => {
    const team = await flow.stage.createTeam(`restricted-connect-${++teams}`);
    return { ...team, token: await makeToken(flow.stage.server, team.admin.headers, rights) };
  };

  const begin = (token: Record<string, string>, payload: object = {}, provider = 'github') =>
    flow.post(`${provider}/connect`, token, payload);

  const follow = (address: string, headers: Record<string, string> = {}) => {
    const { pathname, search } = new URL(address);
    return flow.get(`${pathname}${search}`, headers);
  };

  test('shows the token neither the address at the provider nor a cookie', async () => {
    const { token } = await prepare();
    const begun = await begin(token);
    assert.equal(begun.statusCode, 200, begun.body);
    assert.equal(begun.json().authorizationUrl, null);
    assert.equal(begun.headers['set-cookie'], undefined);
  });

  test('is finished by the person in whose name it was begun, in their own browser', async () => {
    const { admin, token } = await prepare();
    const { connectUrl } = (await begin(token)).json();
    const { headers } = await openSession(flow.stage, admin.user);
    const led = await follow(connectUrl, headers);
    const cookie = `${headers['cookie']}; ${cookiesOf(led.headers['set-cookie'])}`;
    expectConnected(await flow.arrive(flow.consent(String(led.headers.location)), { cookie }), 'github');
    assert.equal(await flow.statusOf(admin), 'connected');
  });

  test('cannot be finished by the token, at the callback or afterwards', async () => {
    const { admin, token } = await prepare({ can: ['connect', 'status'] });
    const { connectUrl } = (await begin(token)).json();
    const led = await follow(connectUrl, token);
    assert.equal(led.headers['set-cookie'], undefined, 'The browser of the token is bound.');
    const attempt = expectParked(await flow.arrive(flow.consent(String(led.headers.location)), token), 'github');
    const finished = await flow.complete({ headers: token }, attempt);
    assert.deepEqual([finished.statusCode, finished.json().code], [403, 'tokens.not_allowed']);
    assert.equal(await flow.statusOf(admin), 'disconnected');
  });

  test('never begins from a link without a ticket', async () => {
    const { token } = await prepare();
    assert.equal((await flow.get('/api/integrations/github/connect', token)).statusCode, 401);
  });

  test('replaces no connection', async () => {
    const { admin, token } = await prepare();
    const begun = await flow.begin(admin);
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }), 'github');
    const refused = await begin(token);
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'integrations.name_taken']);
    assert.equal((await begin(token, { replace: true })).statusCode, 409);
    assert.equal((await begin(token, { connection: 'second' })).statusCode, 200);
  });

  test('replaces no account that was connected after it began', async () => {
    const { admin, token } = await prepare();
    const { connectUrl } = (await begin(token, { replace: true })).json();
    const first = await flow.begin(admin);
    expectConnected(await flow.arrive(flow.consent(first.authorizationUrl), { cookie: first.cookie }), 'github');
    const { headers } = await openSession(flow.stage, admin.user);
    const led = await follow(connectUrl, headers);
    const cookie = `${headers['cookie']}; ${cookiesOf(led.headers['set-cookie'])}`;
    const arrived = await flow.arrive(flow.consent(String(led.headers.location), { account: 'other' }), { cookie });
    assert.equal(arrived.statusCode, 409, arrived.body);
    assert.equal(arrived.json().code, 'integrations.name_taken');
  });

  test('has the default scopes and the return address of the token', async () => {
    const { token } = await prepare();
    for (const asked of [{ scopes: ['repo'] }, { returnTo: 'https://app.example/back' }]) {
      const refused = await begin(token, asked);
      assert.deepEqual([refused.statusCode, refused.json().code], [403, 'tokens.not_allowed'], JSON.stringify(asked));
    }
  });

  test('is only for the providers that the token allows, if it allows any', async () => {
    const { token } = await prepare({ can: ['connect'], allow: [{ provider: 'github' }] });
    assert.equal((await begin(token)).statusCode, 200);
    const refused = await begin(token, {}, 'gitlab');
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'tokens.not_allowed']);
  });

  test('ends with the token', async () => {
    const { admin, token } = await prepare();
    const { connectUrl } = (await begin(token)).json();
    const { tokens } = (await flow.get('/api/tokens', admin.headers)).json();
    const { id } = tokens.find(({ name }: { name: string }) => name === 'agent');
    const url = `/api/tokens/${id}`;
    assert.equal((await flow.stage.server.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode, 204);
    const { headers } = await openSession(flow.stage, admin.user);
    assert.equal((await follow(connectUrl, headers)).statusCode, 410);
  });
});
