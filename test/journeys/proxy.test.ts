import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/index.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MINUTE_MS = 60_000;

onOneEngine("a provider's API through the proxy", (engine) => {
  const stage = useStage(() => openProxyStage(engine));
  afterEach(async () => {
    stage.api.reset();
    await stage.removeConnections();
  });

  test('gets the request with the credential, and the caller gets the response', async () => {
    const { headers, at } = await stage.connected();
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      response.writeHead(201, { 'content-type': 'text/plain', etag: '"1"', 'x-total': '7' }).end('made');
    });
    const answer = await stage.call(stage.proxied('items/a%2Fb?x=1&y=%20'), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'X-Own': 'yes' },
      body: '{"a":1}',
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.body, 'made');
    assert.equal(answer.headers['etag'], '"1"');
    assert.equal(answer.headers['x-total'], '7');
    assert.equal(answer.headers['patchbay-from'], 'provider');
    const [received] = stage.api.received;
    assert.equal(received?.url, '/v1/items/a%2Fb?x=1&y=%20');
    assert.equal(received.body, '{"a":1}');
    assert.equal(received.headers.authorization, `Bearer ${await at.token('acme-full')}`);
    assert.equal(received.headers['x-own'], 'yes');
    assert.equal(received.headers['x-version'], '2026-01');
    assert.equal(received.headers['content-type'], 'application/json');
  });

  for (const [when, passedMs] of [
    ['within a second', 999],
    ['with the clock set back', -60 * MINUTE_MS],
  ] as const)
    test(`is out of reach, ${when}, after the account was disconnected in another process`, async () => {
      const { headers } = await stage.connected();
      const call = async () => (await stage.call(stage.proxied('x'), { headers })).status;
      assert.equal(await call(), 200);
      const other = await stage.openOther();
      const gone = await other.ask('POST', '/api/integrations/acme-full/disconnect', headers, {});
      assert.equal(gone.status, 200, gone.body);
      stage.clock.advance(passedMs);
      assert.equal(await call(), 409);
    });

  test('is asked again for a connection that could not be read just before', async () => {
    const { headers } = await stage.connected();
    const call = async () => (await stage.call(stage.proxied('x'), { headers })).status;
    const { database } = stage.app;
    const { get } = database;
    const failOnce: typeof get = async (text, values) => {
      if (!text.includes('from connections')) return get(text, values);
      Object.assign(database, { get });
      throw new DatabaseUnavailable('The connection was lost.');
    };
    Object.assign(database, { get: failOnce });
    assert.deepEqual([await call(), await call()], [503, 200]);
  });

  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
    test(`takes ${method}, with and without a body`, async () => {
      const { headers } = await stage.connected();
      const plain = await stage.call(stage.proxied('thing'), { method, headers });
      assert.equal(plain.status, 200);
      assert.equal(plain.body, method === 'HEAD' ? '' : '{"ok":true}');
      const full = await stage.call(stage.proxied('thing'), {
        method,
        headers: { ...headers, 'content-length': 2 },
        body: 'hi',
      });
      if (method === 'GET' || method === 'HEAD') return assert.equal(full.status, 400);
      assert.equal(full.status, 200);
      assert.deepEqual(
        stage.api.received.map(({ method: used, body }) => `${used} ${body}`),
        [`${method} `, `${method} hi`],
      );
    });

  test('is one of its named hosts if the request says so', async () => {
    const { headers } = await stage.connected();
    assert.equal(
      (await stage.call(stage.proxied('file'), { headers: { ...headers, 'patchbay-host': 'uploads' } })).status,
      200,
    );
    assert.equal(stage.api.received[0]?.url, '/uploads/file');
    assert.equal(stage.api.received[0].headers['patchbay-host'], undefined);
    const unknown = await stage.call(stage.proxied('file'), { headers: { ...headers, 'patchbay-host': 'evil' } });
    assert.equal(problemIn(unknown), 'proxy.host_unknown');
    assert.equal(unknown.headers['patchbay-from'], 'patchbay');
  });

  test('is not called with the only connection if the query names the default one', async () => {
    const { headers } = await stage.connected('one');
    assert.equal((await stage.call(stage.proxied('me'), { headers })).status, 200);
    const named = await stage.call(stage.proxied('me?connection=default'), { headers });
    assert.equal(problemIn(named), 'integrations.not_connected');
    assert.equal(stage.api.received.length, 1);
  });

  test('is called as the connection that the query names, which the provider does not see', async () => {
    const { headers, at } = await stage.connected('one');
    await at.connect('acme-full', stage.newAccount(), { connection: 'two' });
    const unclear = await stage.call(stage.proxied('me'), { headers });
    assert.equal(problemIn(unclear), 'integrations.connection_ambiguous');
    for (const name of ['one', 'two'])
      assert.equal((await stage.call(stage.proxied(`me?a=1&connection=${name}`), { headers })).status, 200);
    assert.deepEqual(
      stage.api.received.map(({ url, headers: { authorization } }) => [url, authorization]),
      await Promise.all(
        ['one', 'two'].map(async (name) => ['/v1/me?a=1', `Bearer ${await at.token('acme-full', name)}`]),
      ),
    );
  });

  test('is called again with a new token if it refuses the old one', async () => {
    const { headers, at } = await stage.connected();
    const old = await at.token('acme-full');
    const before = stage.oauth.count('refresh');
    stage.clock.advance(2 * MINUTE_MS);
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      response.writeHead(request.headers.authorization === `Bearer ${old}` ? 401 : 200).end(request.url);
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stage.call(stage.proxied(`item/${index}`), { method: 'POST', headers, body: `body ${index}` }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status, body }) => `${status} ${body}`),
      answers.map((_, index) => `200 /v1/item/${index}`),
    );
    assert.equal(stage.oauth.count('refresh') - before, 1, 'One refresh for all of them.');
    const used = stage.api.received.filter(({ body }) => body === 'body 7');
    assert.equal(used.length, 2, 'Each was sent twice, with its body.');
  });

  test('is not called again if a refused token is new, and the refusal is passed on', async () => {
    const { headers } = await stage.connected();
    stage.api.answer((request, response) => {
      stage.api.received.push({ method: '', url: request.url ?? '', headers: {}, body: '' });
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no');
    });
    const answer = await stage.call(stage.proxied('me'), { headers });
    assert.deepEqual([answer.status, answer.body, answer.headers['patchbay-from']], [401, 'no', 'provider']);
    assert.equal(stage.api.received.length, 1);
  });

  test('is refused to sessions, members and strangers, and where there is no connection or no API', async () => {
    const { member, admin } = await stage.newTeam();
    const refused = async (path: string, headers: Record<string, string>) => {
      const answer = await stage.call(path, { headers });
      assert.equal(answer.headers['patchbay-from'], 'patchbay');
      return `${answer.status} ${problemIn(answer)}`;
    };
    assert.equal(await refused(stage.proxied('me'), admin.headers), '409 integrations.not_connected');
    assert.equal(await refused(stage.proxied('me'), member.headers), '403 http.admin_only');
    assert.match(await refused(stage.proxied('me'), {}), /^401 /);
    const session = await openSession(stage, admin.user);
    assert.equal(await refused(stage.proxied('me'), session.headers), '401 http.unauthorized');
    assert.equal(await refused('/api/integrations/acme-plain/proxy/me', admin.headers), '409 proxy.no_api');
    assert.equal(await refused('/api/integrations/none/proxy/me', admin.headers), '404 integrations.provider_unknown');
    assert.equal(stage.api.received.length, 0);
  });

  test('counts how often a connection was used', async (context) => {
    const { headers, team, at } = await stage.connected();
    assert.equal((await at.status('acme-full')).lastUsedAt, null);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    for (const path of ['a', 'b', 'c']) await stage.call(stage.proxied(path), { headers });
    await waitUntil('it is counted', async () => {
      // It's written every few seconds.
      context.mock.timers.tick(5_000);
      const rows = await stage.app.database.all(
        'select requests, failures, bytes from connection_usage where team_id = $1',
        [team.id],
      );
      return rows.length === 1 && Number((rows[0] as { requests: number }).requests) === 3;
    });
    // The row can be read before the remembered status is forgotten, and the clock stands still.
    const usedAt = new Date(stage.clock.now()).toISOString();
    await waitUntil('the status says so', async () => (await at.status('acme-full')).lastUsedAt === usedAt);
  });
});
