import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { asCustomer, createConnectSession, putCustomer } from '../harness/customers.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { keyRecords, openKeysStage } from '../harness/keys-stage.ts';
import { expectProblem } from '../harness/problem.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

onOneEngine('a provider that is connected with a key', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  const proxy = (headers: Readonly<Record<string, string>>, path: string, method: 'GET' | 'POST' = 'GET') =>
    stage.ask(method, `/api/integrations/${path}`, headers);

  test('is listed with its kind, its fields, and where to find them', async () => {
    const { admin } = await stage.newTeam();
    const { providers } = JSON.parse((await stage.ask('GET', '/api/integrations/providers', admin.headers)).body);
    const find = (id: string) => providers.find((one: { id: string }) => one.id === id);
    const { kind, fields, docs, configured, callbackUrl, scopes, settings } = find('keyed-basic');
    assert.deepEqual(
      { kind, docs, configured, callbackUrl, scopes, settings },
      {
        ...{ kind: 'basic', docs: 'https://keyed.example/docs', configured: true },
        ...{ callbackUrl: null, scopes: [], settings: [] },
      },
    );
    const field = { about: 'In the settings.', pattern: null, maxLength: null };
    assert.deepEqual(fields, [
      { name: 'username', label: 'User', secret: false, ...field },
      { name: 'password', label: 'API key', secret: true, ...field },
    ]);
    assert.deepEqual([find('acme').kind, find('acme').fields, find('acme').docs], ['oauth2', [], null]);
    assert.equal(find('chargebee').params[0].name, 'subdomain');
  });

  test('is found in the catalog by what people type, as are all others', async () => {
    const { admin } = await stage.newTeam();
    const find = async (q: string): Promise<string[]> => {
      const query = new URLSearchParams({ q });
      const { providers } = JSON.parse(
        (await stage.ask('GET', `/api/integrations/providers?${query}`, admin.headers)).body,
      );
      return providers.map(({ id }: { id: string }) => id);
    };
    assert.equal((await find('Gmail'))[0], 'google');
    assert.equal((await find('o365'))[0], 'microsoft');
    assert.deepEqual(await find('nobody has this'), []);
    assert.deepEqual(await find('chargebee'), ['chargebee']);
  });

  test('is in a catalog that can be read in pages, also of what was searched', async () => {
    const { admin } = await stage.newTeam();
    const get = (query: string) => stage.ask('GET', `/api/integrations/providers?${query}`, admin.headers);
    const idsOf = ({ providers }: { providers: { id: string }[] }): string[] => providers.map(({ id }) => id);
    for (const q of ['', 'mail']) {
      const whole = JSON.parse((await get(`q=${q}`)).body);
      assert.equal(whole.nextCursor, null);
      const read: string[] = [];
      const limit = Math.min(100, Math.ceil(whole.providers.length / 3));
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = JSON.parse((await get(`q=${q}&limit=${limit}${cursor && `&cursor=${cursor}`}`)).body);
        assert.ok(page.providers.length <= limit && page.providers.length > 0);
        read.push(...idsOf(page));
        cursor = page.nextCursor;
      }
      assert.deepEqual(read, idsOf(whole));
    }
    const unknown = Buffer.from('nobody').toString('base64url');
    for (const query of ['limit=101', 'limit=0', 'cursor=%3F', `cursor=${unknown}`])
      expectProblem(await get(query), 400, query);
  });

  test('is in a catalog that is compressed, kept by nobody, and sent again only if it changed', async () => {
    const { admin } = await stage.newTeam();
    const get = (headers: Record<string, string> = {}) =>
      stage.server.inject({ url: '/api/integrations/providers', headers: { ...admin.headers, ...headers } });
    const plain = await get();
    const compressed = await get({ 'accept-encoding': 'gzip' });
    assert.equal(compressed.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(compressed.rawPayload).toString(), plain.body);
    assert.ok(compressed.rawPayload.length * 5 < plain.rawPayload.length, `${compressed.rawPayload.length} bytes`);
    for (const { headers } of [plain, compressed]) {
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['vary'], 'origin, accept-encoding');
    }
    const known = { 'if-none-match': String(plain.headers['etag']) };
    assert.equal((await get(known)).statusCode, 304);
    const own = { clientId: 'client-of-the-team', clientSecret: 'secret-of-the-team' };
    await stage.ask('PUT', '/api/integrations/github/credentials', admin.headers, own);
    assert.equal((await get(known)).statusCode, 200, 'It is set up now.');
  });

  test('is in the status if the operator names it, unless they take it out', async () => {
    const { admin } = await stage.newTeam();
    const listed = async (path: string) => JSON.parse((await stage.ask('GET', path, admin.headers)).body);
    const { providers } = await listed('/api/integrations/providers');
    const { integrations } = await listed('/api/integrations/status');
    const withKeys = providers.filter(({ kind }: { kind: string }) => kind !== 'oauth2');
    const configured = withKeys.filter((one: { configured: boolean }) => one.configured);
    assert.deepEqual(
      withKeys.filter((one: { configured: boolean }) => !one.configured).map(({ id }: { id: string }) => id),
      ['brevo', 'greenhouse-key'],
      'Retired, by the operator and in the catalog.',
    );
    const named = new Set(keyRecords('https://a.example').map(({ id }) => id));
    for (const { id } of configured) {
      const found = integrations.find(({ provider }: { provider: string }) => provider === id);
      assert.equal(found?.status, named.has(id) ? 'disconnected' : undefined, id);
    }
    assert.equal(
      integrations.find(({ provider }: { provider: string }) => provider === 'brevo'),
      undefined,
    );
    const refused = await stage.put(admin.headers, 'brevo', { fields: { api_key: 'x' } });
    assert.deepEqual([refused.status, problemIn(refused)], [410, 'integrations.provider_retired']);
  });

  test('is connected once the provider has accepted the key, and the status says whose it is', async () => {
    const { team, member, at } = await stage.newTeam();
    assert.equal((await at.status('keyed')).status, 'disconnected');
    const reply = await stage.put(member.headers, 'keyed', { fields: { api_key: stage.newKey('ada') } });
    assert.equal(reply.status, 200, reply.body);
    const entry = JSON.parse(reply.body);
    assert.deepEqual(entry, await at.status('keyed'));
    assert.deepEqual([entry.status, entry.connection], ['connected', 'default']);
    assert.deepEqual(entry.account, { id: 'ada', label: 'ada@a.example' });
    assert.equal(entry.connectedBy.id, member.user.id);
    assert.equal(stage.verifications(), 1);
    const { accessToken, details } = await stage.row(team.id, 'keyed');
    assert.ok(!accessToken.includes('canary'), 'The key is sealed.');
    assert.deepEqual(details, {});
    assert.match(await stage.auditOf(at.headers), /"integration\.connect"/);
  });

  test('can be used through the proxy, with the key where the entry says', async () => {
    const { admin } = await stage.newTeam();
    const { headers } = admin;
    const key = stage.newKey();
    const pair = stage.newPair('ada');
    for (const provider of ['keyed', 'keyed-bearer', 'keyed-query'])
      await stage.connectKey(headers, provider, { fields: { api_key: key } });
    await stage.connectKey(headers, 'keyed-basic', { fields: pair });
    await stage.connectKey(headers, 'keyed-site', { fields: { api_key: key }, params: { site: 'north' } });
    stage.api.received.length = 0;
    for (const provider of ['keyed', 'keyed-bearer', 'keyed-query', 'keyed-basic', 'keyed-site']) {
      const answer = await proxy(headers, `${provider}/proxy/things?page=2`);
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.headers['patchbay-from'], 'provider');
    }
    const [inHeader, bearer, inQuery, basic, site] = stage.api.received;
    assert.equal(inHeader?.headers['x-key'], key);
    assert.equal(inHeader?.headers.authorization, undefined);
    assert.equal(bearer?.headers.authorization, `Bearer ${key}`);
    assert.equal(inQuery?.url, `/v1/things?page=2&api_key=${key}`);
    const encoded = Buffer.from(`ada:${pair.password}`).toString('base64');
    assert.equal(basic?.headers.authorization, `Basic ${encoded}`);
    assert.equal(site?.url, '/north/things?page=2');
  });

  test('is refused if the provider rejects the key, and nothing changes', async () => {
    const { member, at } = await stage.newTeam();
    const key = stage.newKey('ada');
    await stage.connectKey(member.headers, 'keyed', { fields: { api_key: key } });
    const refused = await stage.put(member.headers, 'keyed', { fields: { api_key: 'wrong-key' } });
    assert.deepEqual([refused.status, problemIn(refused)], [422, 'integrations.key_refused']);
    const { status, account } = await at.status('keyed');
    assert.deepEqual([status, account?.id], ['connected', 'ada']);
    stage.api.answer((_, response) => response.writeHead(404).end());
    const unknown = await stage.put(member.headers, 'keyed', { fields: { api_key: key } });
    assert.deepEqual([unknown.status, problemIn(unknown)], [422, 'integrations.key_refused']);
    assert.match(JSON.parse(unknown.body).detail, /status 404/);
  });

  test('is refused if the response has a good status but not what the entry asks for', async () => {
    const { member, at } = await stage.newTeam();
    const put = () => stage.put(member.headers, 'keyed-strict', { fields: { api_key: 'some-key' } });
    const answers: [number, string, RegExp | null][] = [
      [203, '<h1>Sign in</h1>', null],
      [200, '{"name":"nobody"}', null],
      [200, '{"id":null}', null],
      [200, '{"id":"ada","error":"invalid_token"}', null],
      [200, '<h1>Back soon</h1>', /status 200/],
    ];
    for (const [status, body, detail] of answers) {
      stage.api.answer((_, response) => response.writeHead(status).end(body));
      const reply = await put();
      assert.deepEqual([reply.status, problemIn(reply)], [422, 'integrations.key_refused'], body);
      if (detail) assert.match(JSON.parse(reply.body).detail, detail);
    }
    assert.equal((await at.status('keyed-strict')).status, 'disconnected');
    stage.api.answer(({ headers }, response) =>
      response.writeHead(headers['x-plain'] === 'yes' ? 200 : 401).end('{"id":"ada","error":null}'),
    );
    assert.equal((await put()).status, 200);
  });

  test('is tried again later if the provider is unavailable', async () => {
    const { member, at } = await stage.newTeam();
    for (const [status, retryAfter, expected] of [
      [500, undefined, '5'],
      [429, '30', '30'],
    ] as const) {
      stage.api.answer((_, response) => {
        if (retryAfter) response.setHeader('retry-after', retryAfter);
        response.writeHead(status).end();
      });
      const reply = await stage.put(member.headers, 'keyed', { fields: { api_key: stage.newKey() } });
      assert.deepEqual([reply.status, problemIn(reply)], [503, 'integrations.provider_unavailable']);
      assert.equal(reply.headers['retry-after'], expected);
    }
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('is stored as it is if its entry has no verification', async () => {
    const { team, admin } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed-blind', { fields: { api_key: 'anything' } });
    assert.equal((await stage.row(team.id, 'keyed-blind')).verifyDueAt, null);
    assert.deepEqual(stage.api.received, []);
  });

  test('can have several keys under names of their own', async () => {
    const { admin, at } = await stage.newTeam();
    const [first, second] = [stage.newKey('one'), stage.newKey('two')];
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: first } });
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: second }, connection: 'work' });
    assert.deepEqual(await at.names('keyed'), ['default', 'work']);
    assert.equal((await at.status('keyed', 'work')).account?.id, 'two');
    stage.api.received.length = 0;
    await proxy(admin.headers, 'keyed/proxy/x?connection=work');
    assert.equal(stage.api.received[0]?.headers['x-key'], second);
    assert.equal(await at.disconnect('keyed', 'work'), 'unsupported');
    assert.deepEqual(await at.names('keyed'), ['default']);
  });

  test('replaces the key under the same name', async () => {
    const { admin, at } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey('one') } });
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey('two') } });
    assert.equal((await at.status('keyed')).account?.id, 'two');
    assert.match(await stage.auditOf(admin.headers), /"integration\.reconnect"/);
  });

  test('has no token to hand out, and no OAuth app', async () => {
    const { admin } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    const token = await stage.ask('POST', '/api/integrations/keyed/token', admin.headers);
    assert.deepEqual([token.status, problemIn(token)], [403, 'integrations.no_token']);
    const client = { clientId: 'a', clientSecret: 'b' };
    const credentials = await stage.ask('PUT', '/api/integrations/keyed/credentials', admin.headers, client);
    assert.deepEqual([credentials.status, problemIn(credentials)], [409, 'integrations.key_based']);
    const oauth = await stage.put(admin.headers, 'acme', { fields: { api_key: 'a' } });
    assert.deepEqual([oauth.status, problemIn(oauth)], [409, 'integrations.not_key_based']);
    const unknown = await stage.put(admin.headers, 'nobody', { fields: { api_key: 'a' } });
    assert.deepEqual([unknown.status, problemIn(unknown)], [404, 'integrations.provider_unknown']);
  });

  test('is in the status of a connect session that names it, and on its page', async () => {
    const key = `keys-${engine}-${stage.app.newId()}`;
    await putCustomer(stage, key);
    const session = await createConnectSession(stage, key, { providers: ['openai', 'keyed', 'brevo'] });
    const { integrations } = JSON.parse((await stage.ask('GET', '/api/integrations/status', session.headers)).body);
    assert.deepEqual(
      integrations.map((one: { provider: string; status: string }) => [one.provider, one.status]),
      [
        ['keyed', 'disconnected'],
        ['openai', 'disconnected'],
      ],
    );
  });

  test('is connected by the operator for a customer, and by a connect session for its providers', async () => {
    const key = `keys-${engine}-${stage.app.newId()}`;
    await putCustomer(stage, key);
    await stage.connectKey(asCustomer(key, 'u1').headers, 'keyed', { fields: { api_key: stage.newKey() } });
    const session = await createConnectSession(stage, key, { providers: ['keyed-bearer'] });
    await stage.connectKey(session.headers, 'keyed-bearer', { fields: { api_key: stage.newKey() } });
    const other = await stage.put(session.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    assert.equal(other.status, 403);
    const { integrations } = JSON.parse(
      (await stage.ask('GET', '/api/integrations/status', asCustomer(key).headers)).body,
    );
    const connected = integrations.filter(({ status }: { status: string }) => status === 'connected');
    assert.deepEqual(
      connected.map(({ provider, connectedBy }: { provider: string; connectedBy: { key: string } }) => [
        provider,
        connectedBy.key,
      ]),
      [
        ['keyed', 'u1'],
        ['keyed-bearer', 'u1'],
      ],
    );
  });

  test('is verified once a day, and needs a new key if the provider rejects it', async () => {
    const { admin, at } = await stage.newTeam();
    const key = stage.newKey('ada');
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    stage.api.received.length = 0;
    stage.clock.advance(20 * HOUR_MS);
    await stage.app.integrations.verifyDue();
    assert.equal(stage.verifications(), 0, 'A day is not over yet.');
    stage.clock.advance(4 * HOUR_MS);
    await stage.app.integrations.verifyDue();
    await stage.app.integrations.verifyDue();
    assert.equal(stage.verifications(), 1);
    assert.equal((await at.status('keyed')).status, 'connected');
    stage.endKey(key);
    stage.clock.advance(DAY_MS);
    await stage.app.integrations.verifyDue();
    const { status, reason, lastError } = await at.status('keyed');
    assert.deepEqual([status, reason], ['needs_reconnect', 'key_refused']);
    assert.match(lastError ?? '', /no longer accepts this key/);
    const refused = await proxy(admin.headers, 'keyed/proxy/x');
    assert.deepEqual([refused.status, problemIn(refused)], [409, 'integrations.needs_reconnect']);
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey('ada') } });
    const again = await at.status('keyed');
    assert.deepEqual([again.status, again.reason, again.lastError], ['connected', null, null]);
  });

  test('comes back by itself if the provider was mistaken', async () => {
    const { admin, at } = await stage.newTeam();
    const key = stage.newKey('ada');
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    stage.api.answer((_, response) => response.writeHead(403).end());
    stage.clock.advance(DAY_MS);
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'needs_reconnect');
    stage.mend();
    stage.clock.advance(DAY_MS);
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'connected');
  });

  test('keeps its status while the provider is unavailable, and is verified later', async () => {
    const { admin, at } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.clock.advance(DAY_MS);
    for (const status of [500, 404, 302, 429]) {
      stage.api.answer((_, response) => response.writeHead(status).end());
      await stage.app.integrations.verifyDue();
      assert.equal((await at.status('keyed')).status, 'connected', String(status));
      stage.clock.advance(2 * HOUR_MS);
    }
    stage.mend();
    await stage.app.integrations.verifyDue();
    assert.equal(stage.verifications(), 1);
  });

  test('is verified soon after the provider refused it, at most once a minute, and the request is not repeated', async () => {
    const { admin, at } = await stage.newTeam();
    const key = stage.newKey();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    stage.endKey(key);
    stage.api.received.length = 0;
    for (let times = 0; times < 3; times++) {
      const answer = await proxy(admin.headers, 'keyed/proxy/x');
      assert.deepEqual([answer.status, answer.headers['patchbay-from']], [401, 'provider']);
    }
    assert.equal(stage.api.received.length, 3, 'one request each');
    stage.mend();
    await stage.app.integrations.verifyDue();
    assert.equal(stage.verifications(), 1);
    assert.equal((await at.status('keyed')).status, 'needs_reconnect');
  });

  test('is not verified again soon if only one request was refused', async () => {
    const { admin, at } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.api.answer((_, response) => response.writeHead(401).end());
    await proxy(admin.headers, 'keyed/proxy/x');
    stage.mend();
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'connected');
    stage.api.answer((_, response) => response.writeHead(401).end());
    stage.clock.advance(30_000);
    await proxy(admin.headers, 'keyed/proxy/x');
    stage.mend();
    await stage.app.integrations.verifyDue();
    assert.equal(stage.verifications(), 0, 'It was verified half a minute ago.');
  });
});

onEachEngine('a key that is due', (engine) => {
  const stage = useStage(() => openKeysStage(engine));

  test('is verified by one of two processes, even if both have found it', async ({ mock }) => {
    const { admin } = await stage.newTeam();
    for (const name of ['a', 'b', 'c', 'd'])
      await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() }, connection: name });
    const other = await stage.openOther();
    stage.clock.advance(DAY_MS);
    stage.api.received.length = 0;
    const { database } = stage.app;
    const run = database.run.bind(database);
    const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
    let waiting = 0;
    mock.method(database, 'run', async (...[text, values]: Parameters<typeof run>) => {
      if (text.includes('set verify_due_at')) {
        waiting++;
        await isDone;
      }
      return run(text, values);
    });
    const late = stage.app.integrations.verifyDue();
    await waitUntil('the first has found one due', () => waiting > 0);
    await other.app.integrations.verifyDue().finally(done);
    await late;
    assert.equal(stage.verifications(), 4);
  });
});
