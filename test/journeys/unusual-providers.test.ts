import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { revokeGrant } from '../../src/integrations/connections/revoke-grant.job.ts';
import { expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TWO_HOURS_S = 2 * 3_600;

const entry = (id: string, fields: Partial<FullRecord>): FullRecord => ({
  ...{ id, name: id, scopes: [], domains: [`${id}.test`] },
  authorize: { url: `https://${id}.test/authorize` },
  token: { url: `https://${id}.test/token` },
  api: { url: `https://${id}.test/api` },
  ...fields,
});

/** Wants a random value and the state in places of its own. */
const tracing = entry('tracing', {
  authorize: { url: 'https://tracing.test/#/authorize', params: { nonce: '{random}' } },
  token: { url: 'https://tracing.test/token', params: { state: '{state}' }, headers: { 'x-trace': '{random}' } },
  refresh: { rotates: 'always' },
  api: { url: 'https://tracing.test/api', headers: { 'x-trace': '{random}' } },
});

/** Extends its tokens without sending any, and refuses with numbers. */
const extending = entry('extending', {
  refresh: {
    ...{ url: 'https://extending.test/extend', rotates: 'always', extended: { result: '0000' } },
    response: { defaultExpiresIn: TWO_HOURS_S },
  },
  errors: { code: ['result'], invalidGrant: ['105'] },
});

/** The number that ends a grant is in the address of every request, too. */
const numbering = entry('numbering', {
  token: { url: 'https://numbering.test/v2/token' },
  refresh: { rotates: 'always' },
  revoke: { url: 'https://numbering.test/v2/revoke' },
  errors: { okField: 'ok', code: ['result'], invalidGrant: ['2'] },
});

/** Ends a grant by its access token, so that one that has expired is refreshed for that. */
const ending = entry('ending', {
  refresh: { rotates: 'always' },
  revoke: { url: 'https://ending.test/revoke', token: 'access' },
});

const clientFields = {
  api_key: { label: 'API key', about: 'In the console.' },
  app_name: { label: 'App name', about: 'In the console, too.', secret: false },
};

/** Its OAuth apps have more than an id and a secret. */
const withFields = (id: string): FullRecord =>
  entry(id, {
    clientFields,
    authorize: { url: `https://${id}.test/authorize`, params: { redirect_uri: '{app_name}' } },
    token: {
      url: `https://${id}.test/token?key={api_key}`,
      params: { redirect_uri: '{app_name}' },
      headers: { 'x-api-key': '{api_key}' },
    },
    refresh: { rotates: 'always' },
    revoke: { url: `https://${id}.test/revoke`, headers: { 'x-api-key': '{api_key}' } },
    api: { url: `https://${id}.test/api`, headers: { 'x-api-key': '{api_key}' } },
  });

/** Every call wants the ID and the secret of the OAuth app, as at Etsy. */
const doubting = entry('doubting', {
  api: {
    url: 'https://doubting.test/api',
    headers: { 'x-api-key': '{client_id}:{client_secret}' },
    verify: { method: 'GET', path: '/me' },
  },
});

onOneEngine('a provider that wants the secret of the OAuth app with every call', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { custom: [doubting] }));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const seen: string[] = [];

  const call = async (headers: Record<string, string> = {}) => {
    const answer = await flow.get('/api/integrations/doubting/proxy/me', { ...team.admin.headers, ...headers });
    seen.push(answer.body, JSON.stringify(answer.headers));
    return answer.statusCode;
  };
  const last = () => flow.simulator.requests.at(-1);

  test("gets it from the proxy and with a verification, the operator's and the team's own", async () => {
    for (const own of [false, true]) {
      if (own) {
        const put = await flow.stage.server.inject({
          ...{ method: 'PUT', url: '/api/integrations/doubting/credentials', headers: team.admin.headers },
          payload: { clientId: 'client-of-doubting', clientSecret: 'secret of doubting +%41&=/:~' },
        });
        assert.equal(put.statusCode, 200, put.body);
        seen.push(put.body);
      }
      const { authorizationUrl, cookie } = await flow.begin(team.member, 'doubting');
      seen.push(authorizationUrl);
      expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 'doubting');
      assert.equal(await call(), 200);
      assert.deepEqual(last()?.reasons, []);
      assert.equal(last()?.headers['x-api-key'], 'client-of-doubting:secret of doubting +%41&=/:~');
    }
  });

  test('gets it whatever the caller sends instead', async () => {
    for (const name of ['x-api-key', 'X-API-KEY', 'x_api_key']) {
      assert.equal(await call({ [name]: 'mine' }), 200, name);
      assert.equal(last()?.headers['x_api_key'], undefined);
    }
  });

  test('and nobody else does: no response, address or log line has it', async () => {
    for (const url of ['providers', 'status', 'doubting/requests']) {
      const answer = await flow.get(`/api/integrations/${url}`, team.admin.headers);
      seen.push(answer.body);
    }
    const shown = [...seen, JSON.stringify(flow.stage.lines)].join('\n');
    const secret = 'secret of doubting +%41&=/:~';
    for (const form of [secret, encodeURIComponent(secret)]) assert.ok(!shown.includes(form), form);
  });
});

onOneEngine('an OAuth app with more than an id and a secret', (engine) => {
  const flow = useStage(() =>
    startConnectStage(engine, {
      custom: [withFields('complete'), withFields('lacking')],
      env: { OAUTH_LACKING_API_KEY: '' },
    }),
  );
  const team = prepare(() => flow.stage.createTeam('acme'));
  const secretOf = (id: string): string => `api_key of ${id} +%41&=/~`;
  const seen: string[] = [];

  const read = async (url: string) => {
    const answer = await flow.get(`/api/integrations/${url}`, team.admin.headers);
    seen.push(answer.body);
    return answer;
  };
  const listed = async (id: string) =>
    (await read('providers')).json().providers.find((one: { id: string }) => one.id === id);

  const put = async (fields: object | undefined, id = 'lacking') => {
    const [clientId, clientSecret] = [`client-of-${id}`, `secret of ${id} +%41&=/:~`];
    const answer = await flow.stage.server.inject({
      ...{ method: 'PUT', url: `/api/integrations/${id}/credentials`, headers: team.admin.headers },
      payload: { clientId, clientSecret, ...(fields && { fields }) },
    });
    seen.push(answer.body);
    return answer;
  };

  /** Connects, refreshes, calls the API and disconnects. The simulator refuses anything but the right values. */
  const live = async (id: string) => {
    flow.simulator.requests.length = 0;
    const { authorizationUrl, cookie } = await flow.begin(team.member, id);
    seen.push(authorizationUrl, decodeURIComponent(authorizationUrl));
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), id);
    flow.clock.advance(3_590_000);
    assert.equal((await flow.post(`${id}/token`, team.admin.headers)).statusCode, 200);
    assert.equal((await read(`${id}/proxy/`)).statusCode, 200);
    await read('status');
    assert.equal((await flow.post(`${id}/disconnect`, team.member.headers)).json().revocation, 'revoked');
    assert.deepEqual(
      flow.simulator.requests.map(({ kind, reasons }) => [kind, ...reasons]),
      [['token'], ['refresh'], ['verify'], ['revoke']],
    );
  };

  test("works with the operator's settings, which are listed", async () => {
    const { configured, settings, clientFields: fields } = await listed('complete');
    const names = ['CLIENT_ID', 'CLIENT_SECRET', 'API_KEY', 'APP_NAME'].map((name) => `OAUTH_COMPLETE_${name}`);
    assert.deepEqual({ configured, settings }, { configured: true, settings: names });
    assert.deepEqual(fields[0], {
      ...{ name: 'api_key', label: 'API key', about: 'In the console.', secret: true },
      setting: 'OAUTH_COMPLETE_API_KEY',
    });
    await live('complete');
  });

  test('is not configured while a setting is missing, and the refusal names it', async () => {
    assert.equal((await listed('lacking')).configured, false);
    const answer = await flow.post('lacking/connect', team.member.headers);
    const { detail } = expectRefused(answer, 409, 'integrations.not_configured');
    assert.match(String(detail), /Set OAUTH_LACKING_API_KEY, or/);
    assert.equal(await flow.statusOf(team.member, 'lacking'), 'disconnected');
  });

  test("works with the team's own, which is sealed and never returned", async () => {
    const good = { api_key: secretOf('lacking'), app_name: 'app_name of lacking +%41&=/~' };
    const refused: [object | undefined, string][] = [
      [undefined, 'body.fields.api_key'],
      [{ app_name: good.app_name }, 'body.fields.api_key'],
      [{ ...good, other: 'x' }, 'body.fields.other'],
      [{ ...good, __proto__x: 'x' }, ''],
      [{ ...good, api_key: `${good.api_key}\n` }, ''],
      [{ ...good, api_key: '' }, ''],
    ];
    for (const [fields, path] of refused) {
      const answer = await put(fields);
      assert.equal(answer.statusCode, 400, JSON.stringify(fields));
      if (path) assert.equal(answer.json().errors[0].path, path, answer.body);
    }
    assert.equal((await put({ api_key: 'x' }, 'github')).statusCode, 400, 'A provider without any takes none.');
    assert.equal((await put(good)).statusCode, 200);
    const rows = JSON.stringify(await flow.stage.app.database.all('select * from provider_credentials', []));
    assert.ok(!rows.includes('api_key of') && !rows.includes('app_name of'), rows);
    await live('lacking');
  });

  test('is refused by the provider with a wrong value, and nothing is connected', async () => {
    await put({ api_key: 'another-key-0123456789', app_name: 'app_name of lacking +%41&=/~' });
    const { authorizationUrl, cookie } = await flow.begin(team.member, 'lacking');
    const answer = await flow.arrive(flow.consent(authorizationUrl), { cookie });
    assert.ok(answer.statusCode >= 400, answer.body);
    assert.match(flow.simulator.requests.at(-1)?.reasons.join() ?? '', /x-api-key/);
    assert.ok(!answer.body.includes('another-key'));
    assert.equal(await flow.statusOf(team.member, 'lacking'), 'disconnected');
  });

  test('shows its secrets nowhere: in no response, address or log line', () => {
    const shown = [...seen, JSON.stringify(flow.stage.lines)].join('\n');
    for (const secret of [secretOf('complete'), secretOf('lacking'), 'another-key-0123456789'])
      for (const form of [secret, encodeURIComponent(secret)]) assert.ok(!shown.includes(form), form);
  });
});

onOneEngine('a provider with unusual requests and responses', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { custom: [tracing, extending, numbering, ending] }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const connect = async (provider: string) => {
    const { authorizationUrl, cookie } = await flow.begin(team.member, provider);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), provider);
  };

  const getToken = async (provider: string) => {
    const answer = await flow.post(`${provider}/token`, team.admin.headers);
    return answer.statusCode === 200 ? answer.json() : answer.json().code;
  };

  /** To shortly before the token expires. */
  const passTime = (provider: string): void =>
    flow.clock.advance((simulator().issued(provider).expiresAt ?? 0) - flow.clock.now() - 20_000);

  const simulator = () => flow.simulator;

  test('gets a random value that it has never seen, and the state, also if someone finishes later', async () => {
    await connect('tracing');
    const { authorizationUrl } = await flow.begin(team.member, 'tracing');
    const attempt = expectParked(await flow.arrive(flow.consent(authorizationUrl)), 'tracing');
    expectConnected(await flow.complete(team.member, attempt, 'tracing'), 'tracing');
    passTime('tracing');
    assert.ok((await getToken('tracing')).accessToken);
    for (let turn = 0; turn < 3; turn++) {
      const url = '/api/integrations/tracing/proxy/';
      const answer = await flow.stage.server.inject({ url, headers: team.admin.headers });
      assert.equal(answer.statusCode, 200, answer.body);
    }
    assert.deepEqual(
      flow.simulator.requests.flatMap(({ reasons }) => reasons),
      [],
    );
  });

  test('keeps the tokens that it has extended, and the connection goes on', async () => {
    await connect('extending');
    const { accessToken } = await getToken('extending');
    for (let turn = 0; turn < 3; turn++) {
      passTime('extending');
      const again = await getToken('extending');
      assert.equal(again.accessToken, accessToken);
      assert.equal(Date.parse(again.expiresAt), flow.clock.now() + TWO_HOURS_S * 1_000);
    }
    assert.equal(flow.simulator.requestsOf('extending', 'refresh').length, 3);
  });

  test('loses no grant if a response is neither an extension nor a refusal', async () => {
    await connect('extending');
    const { accessToken } = await getToken('extending');
    const answers = [{}, { result: '0001' }, { result: 0 }, { message: 'OK' }, 'OK', null];
    for (const answer of answers) {
      flow.simulator.mend();
      flow.simulator.fail('extending', 'refresh', { status: 200, answer }, { times: 5 });
      passTime('extending');
      assert.equal((await getToken('extending')).accessToken, accessToken, JSON.stringify(answer));
      assert.equal(await flow.statusOf(team.member, 'extending'), 'degraded', JSON.stringify(answer));
      flow.simulator.mend();
      // An unclear one is repeated only when there's nothing left to lose.
      flow.clock.advance(3_600_000);
      assert.equal((await getToken('extending')).accessToken, accessToken, JSON.stringify(answer));
      assert.equal(await flow.statusOf(team.member, 'extending'), 'connected', JSON.stringify(answer));
    }
  });

  test('ends a grant with a number', async () => {
    await connect('extending');
    flow.simulator.fail('extending', 'refresh', { status: 200, answer: { result: 10 } });
    passTime('extending');
    await getToken('extending');
    assert.equal(await flow.statusOf(team.member, 'extending'), 'degraded', '10 is not 105.');
    flow.simulator.withdraw('extending');
    flow.clock.advance(3_600_000);
    assert.equal(await getToken('extending'), 'integrations.needs_reconnect');
  });

  test('ends a grant with a number that is also in our request, and the number is not shown', async () => {
    await connect('numbering');
    flow.simulator.fail('numbering', 'refresh', { status: 200, answer: { ok: false, result: 2 } });
    passTime('numbering');
    assert.equal(await getToken('numbering'), 'integrations.needs_reconnect');
    const { integrations } = (await flow.get('/api/integrations/status', team.admin.headers)).json();
    const { reason, lastError } = integrations.find(({ provider }: { provider: string }) => provider === 'numbering');
    assert.equal(reason, 'revoked_or_expired');
    assert.doesNotMatch(lastError, /error code/);
    await connect('numbering');
    flow.simulator.fail('numbering', 'revoke', { status: 200, answer: { ok: false, result: 2 } });
    const { revocation } = (await flow.post('numbering/disconnect', team.admin.headers)).json();
    assert.equal(revocation, 'already_gone');
  });

  test('ends a grant whose token was refreshed for that, although it was away the first time', async () => {
    await connect('ending');
    passTime('ending');
    flow.clock.advance(60_000);
    flow.simulator.fail('ending', 'revoke', 'server_error');
    const { revocation } = (await flow.post('ending/disconnect', team.admin.headers)).json();
    assert.equal(revocation, 'failed_will_retry');
    const { database, jobs } = flow.stage.app;
    const { id } = (await database.get<{ id: string }>('select id from revocations')) ?? assert.fail();
    await database.transaction((tx) => jobs.enqueue(tx, revokeGrant, { teamId: team.team.id, revocationId: id }));
    await jobs.start();
    await waitUntil(
      'nothing is left to do',
      async () => (await database.all('select id from revocations')).length === 0,
    );
    const statuses = (kind: 'refresh' | 'revoke') =>
      simulator()
        .requestsOf('ending', kind)
        .map(({ status }) => status);
    assert.deepEqual([statuses('refresh'), statuses('revoke')], [[200], [500, 200]], 'The new token is kept for that.');
  });
});
