import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { createBrowser, nextOf } from '../harness/key-browser.ts';
import { invalidClient, serverError } from '../harness/oauth-server/faults.ts';
import { MACHINES } from '../harness/oauth-server.ts';
import { expectProblem } from '../harness/problem.ts';
import { shortRecord } from '../harness/provider-file.ts';
import { problemIn, startApi } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
type Headers = Readonly<Record<string, string>>;

/** What the API calls a client. What we sent is no name, so it has to be another word. */
const accountOf = (clientId: unknown): string => `account-${MACHINES.findIndex(({ id }) => id === clientId)}`;

const recordsOf = (issuer: string, api: string) => {
  const field = { about: 'In the settings.' };
  const record = {
    ...{
      kind: 'client_credentials',
      docs: 'https://machine.example/docs',
      identity: { id: 'account', label: 'account' },
    },
    fields: {
      client_id: { ...field, label: 'Client ID', secret: false },
      client_secret: { ...field, label: 'Secret' },
    },
    token: { url: `${issuer}/token`, auth: 'basic', params: { scope: 'openid' } },
    api: { url: `${api}/v1`, headers: { 'x-client': '{client_id}' }, verify: { method: 'GET', path: '/me' } },
  };
  return [
    shortRecord(issuer),
    { ...record, id: 'machine', name: 'Machine' },
    { ...record, id: 'machine-blind', name: 'Blind', identity: null, api: { url: `${api}/v1` } },
  ];
};

/** The whole service, a real OAuth server, and an API that takes the tokens which that server knows. */
const openStage = async (engine: 'sqlite' | 'postgresql') => {
  const api = await startApi();
  const stage = await openIntegrationsStage(engine, {
    records: (issuer) => recordsOf(issuer, api.url),
    settings: (path) => ({ PATCHBAY_PROVIDERS: path, PATCHBAY_RETURN_ORIGINS: 'https://product.example' }),
  });
  const refused = new Set<string>();

  api.answer(async (incoming, response) => {
    await api.note(incoming);
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const works = !refused.has(token) && (await stage.oauth.isActive(token));
    response.writeHead(works ? 200 : 401, { 'content-type': 'application/json' });
    response.end(works ? JSON.stringify({ account: accountOf(incoming.headers['x-client']) }) : '{}');
  });

  return {
    ...stage,
    api,
    refused,
    /** How many tokens the server was asked for. */
    asked: (): number => stage.oauth.count('client'),
    put: (headers: Headers, provider: string, fields: object) =>
      stage.ask('PUT', `/api/integrations/${provider}/key`, headers, { fields }),
    proxy: (headers: Headers, provider = 'machine') =>
      stage.ask('GET', `/api/integrations/${provider}/proxy/things`, headers),
    async close(): Promise<void> {
      await stage.close();
      await api.stop();
    },
  };
};

onOneEngine('a provider that is connected with client credentials', (engine) => {
  const stage = useStage(() => openStage(engine));
  afterEach(async () => {
    stage.oauth.mend();
    stage.refused.clear();
    stage.oauth.rules.accessTokenSeconds = 3_600;
    await stage.removeConnections();
  });

  const [one = assert.fail(), two = assert.fail()] = MACHINES;
  const fieldsOf = ({ id, secret }: typeof one) => ({ client_id: id, client_secret: secret });

  const connect = async (provider = 'machine', machine = one) => {
    const team = await stage.newTeam();
    const reply = await stage.put(team.admin.headers, provider, fieldsOf(machine));
    assert.equal(reply.status, 200, reply.body);
    return { ...team, headers: team.admin.headers, entry: JSON.parse(reply.body) };
  };

  test('gets a token with them before they are stored, and everything is sealed', async () => {
    const before = stage.asked();
    const { entry, team, headers } = await connect();
    assert.equal(stage.asked(), before + 1);
    assert.deepEqual([entry.status, entry.account], ['connected', { id: accountOf(one.id), label: accountOf(one.id) }]);
    assert.equal(Date.parse(entry.expiresAt), stage.clock.now() + HOUR_MS);
    assert.deepEqual(entry.scopes, ['openid']);
    const rows = JSON.stringify(
      await stage.app.database.all('select * from connections where team_id = $1', [team.id]),
    );
    const token = JSON.parse((await stage.ask('POST', '/api/integrations/machine/token', headers)).body).accessToken;
    assert.ok(!rows.includes(one.secret) && !rows.includes(token));
    const audit = (await stage.ask('GET', '/api/audit?limit=100', headers)).body;
    assert.match(audit, /integration\.connect/);
    assert.ok(!audit.includes(one.secret) && !audit.includes(token));
  });

  test('is listed with its kind and its fields', async () => {
    const { admin } = await stage.newTeam();
    const { providers } = JSON.parse((await stage.ask('GET', '/api/integrations/providers', admin.headers)).body);
    const { kind, configured, fields } = providers.find(({ id }: { id: string }) => id === 'machine');
    assert.deepEqual([kind, configured], ['client_credentials', true]);
    assert.deepEqual(
      fields.map(({ name, secret }: { name: string; secret: boolean }) => [name, secret]),
      [
        ['client_id', false],
        ['client_secret', true],
      ],
    );
  });

  test('refuses those that the provider rejects, and waits if it is away, and nothing changes', async () => {
    const { admin, at } = await stage.newTeam();
    const wrong = await stage.put(admin.headers, 'machine', { ...fieldsOf(one), client_secret: 'wrong' });
    assert.equal(expectProblem(wrong, 422, 'a wrong secret').code, 'integrations.key_refused');
    stage.oauth.fail('client', serverError);
    const away = await stage.put(admin.headers, 'machine', fieldsOf(one));
    assert.equal(expectProblem(away, 503, 'a provider that is away').code, 'integrations.provider_unavailable');
    stage.api.received.length = 0;
    stage.oauth.fail('client', ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'of-nobody', expires_in: 60 }));
    });
    const useless = await stage.put(admin.headers, 'machine', fieldsOf(one));
    assert.equal(expectProblem(useless, 422, 'a token that the API refuses').code, 'integrations.key_refused');
    assert.equal(stage.api.received.length, 1);
    assert.equal((await at.status('machine')).status, 'disconnected');
  });

  test('uses the token through the proxy, and hands it out, but never what it came from', async () => {
    const { headers, at } = await connect('machine-blind');
    assert.equal((await stage.proxy(headers, 'machine-blind')).status, 200);
    const token = await at.token('machine-blind');
    assert.equal(stage.api.received.at(-1)?.headers['authorization'], `Bearer ${token}`);
    assert.ok(await stage.oauth.isActive(token));
    const reply = await stage.ask('POST', '/api/integrations/machine-blind/token', headers);
    assert.deepEqual(Object.keys(JSON.parse(reply.body)).sort(), ['accessToken', 'expiresAt', 'scopes', 'tokenType']);
    assert.equal(await at.disconnect('machine-blind'), 'unsupported');
    assert.equal(problemIn(await stage.proxy(headers, 'machine-blind')), 'integrations.not_connected');
  });

  test('gets one new token for many requests in two processes at once', async () => {
    const { headers, at } = await connect();
    const other = await stage.openOther();
    const old = await at.token('machine');
    stage.clock.advance(HOUR_MS);
    const before = stage.asked();
    const path = '/api/integrations/machine/proxy/things';
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? stage.ask : other.ask)('GET', path, headers)),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(stage.asked(), before + 1);
    assert.notEqual(await at.token('machine'), old);
    assert.equal((await at.status('machine')).status, 'connected');
  });

  test('gets a new token after a 401, and sends the request again', async () => {
    const { headers, at } = await connect();
    stage.refused.add(await at.token('machine'));
    assert.equal((await stage.proxy(headers)).status, 401, 'A token that was just issued is not refused for its age.');
    stage.clock.advance(2 * 60_000);
    const before = stage.asked();
    const replies = await Promise.all(Array.from({ length: 10 }, () => stage.proxy(headers)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(stage.asked(), before + 1);
  });

  test('needs new ones once the provider rejects them, and comes back if it was mistaken', async () => {
    const { headers, at } = await connect();
    stage.clock.advance(HOUR_MS);
    stage.oauth.fail('client', invalidClient);
    assert.equal(problemIn(await stage.proxy(headers)), 'integrations.needs_reconnect');
    const { status, reason, lastError, nextTryAt } = await at.status('machine');
    assert.deepEqual([status, reason], ['needs_reconnect', 'key_refused']);
    assert.match(lastError ?? '', /Enter a new one/);
    const events = JSON.parse((await stage.ask('GET', '/api/events?limit=100', headers)).body).events;
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['connection.connected', 'connection.needs_reconnect'],
    );
    stage.clock.advance(Date.parse(nextTryAt ?? '') - stage.clock.now());
    await stage.app.integrations.refreshDue();
    assert.equal((await at.status('machine')).status, 'connected');
    assert.equal((await stage.proxy(headers)).status, 200);
  });

  test('tries rejected ones a few times within minutes, and then once a day', async () => {
    const { at } = await connect();
    stage.clock.advance(HOUR_MS);
    stage.oauth.fail('client', invalidClient, 100);
    const waits: number[] = [];
    for (let turn = 0; turn < 9; turn++) {
      await stage.app.integrations.refreshDue();
      const wait = Date.parse((await at.status('machine')).nextTryAt ?? '') - stage.clock.now();
      waits.push(wait);
      stage.clock.advance(wait);
    }
    assert.ok(Math.max(...waits.slice(0, 6)) < HOUR_MS / 2, waits.join());
    assert.ok(Math.min(...waits.slice(6)) >= DAY_MS, waits.join());
  });

  test('asks for a token at least once a day, however long it lives', async () => {
    stage.oauth.rules.accessTokenSeconds = 30 * 86_400;
    const { at } = await connect();
    stage.clock.advance(DAY_MS);
    stage.oauth.fail('client', invalidClient);
    await stage.app.integrations.refreshDue();
    const { status, reason } = await at.status('machine');
    assert.deepEqual([status, reason], ['needs_reconnect', 'key_refused']);
  });

  test('keeps the token that works while the provider is away', async () => {
    const { headers, at } = await connect();
    stage.clock.advance(HOUR_MS - 60_000);
    stage.oauth.fail('client', serverError, 5);
    assert.equal((await stage.proxy(headers)).status, 200);
    assert.equal((await at.status('machine')).status, 'degraded');
  });

  test('takes others under the same name, even while the old ones are being renewed', async () => {
    const { headers, at } = await connect();
    stage.clock.advance(HOUR_MS);
    const held = stage.oauth.hold('client', 'after');
    const renewing = stage.proxy(headers);
    await held.arrived;
    assert.equal((await stage.put(headers, 'machine', fieldsOf(two))).status, 200);
    held.release();
    assert.equal((await renewing).status, 200);
    assert.equal((await at.status('machine')).account?.id, accountOf(two.id));
    stage.clock.advance(HOUR_MS);
    const from = stage.oauth.seen.length;
    assert.equal((await stage.proxy(headers)).status, 200);
    const asked = stage.oauth.seen.slice(from).filter(({ kind }) => kind === 'client');
    assert.deepEqual(
      asked.map(({ clientId }) => clientId),
      [two.id],
    );
  });

  test('is entered in a form, and finished by whoever began if the browser is a stranger', async () => {
    const { admin, at } = await stage.newTeam();
    const wish = { returnTo: 'https://product.example/done' };
    const begun = await stage.ask('POST', '/api/integrations/machine/connect', admin.headers, wish);
    const form = await createBrowser(stage.server).openForm(JSON.parse(begun.body).connectUrl);
    assert.match(form.page, /name="fields\.client_secret" type="password"/);
    const fields = Object.fromEntries(Object.entries(fieldsOf(one)).map(([name, value]) => [`fields.${name}`, value]));
    const back = nextOf((await form.submit(fields)).body);
    assert.equal(back.searchParams.get('outcome'), 'confirm');
    const before = stage.asked();
    const attempt = back.searchParams.get('attempt');
    const done = await stage.ask('POST', '/api/integrations/machine/complete', admin.headers, { attempt });
    assert.equal(done.status, 200, done.body);
    assert.equal(stage.asked(), before, 'The token waited with them.');
    assert.equal((await at.status('machine')).status, 'connected');
    assert.equal((await stage.proxy(admin.headers)).status, 200);
  });

  test('can be checked with credentials that nobody has', async () => {
    const { steps } = await stage.app.integrations.checkProvider('machine', {});
    assert.deepEqual(
      steps.map(({ name, state, confirms }) => [name, state, confirms]),
      [['wrong key', 'passed', ['token.url']]],
    );
  });
});
