import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { OutboundFailed } from '../../src/platform/index.ts';
import { createTestClock } from './app.ts';
import type { ProviderOptions } from './provider-simulator/simulated-provider.ts';
import { type ProviderSimulator, startProviderSimulator } from './provider-simulator.ts';

const VERIFIER = 'v'.repeat(43);
const STATE = 's'.repeat(40);

const plain: FullRecord = {
  id: 'plain',
  name: 'Plain',
  scopes: ['read', 'write'],
  requiredScopes: ['offline'],
  authorize: { url: 'https://plain.test/authorize', params: { prompt: 'consent' } },
  token: { url: 'https://api.plain.test/token' },
  refresh: { rotates: 'always' },
  revoke: { url: 'https://api.plain.test/revoke' },
  identity: { url: 'https://api.plain.test/me', id: 'user.id', label: 'user.emails[primary].address' },
};

describe('the provider simulator', () => {
  const clock = createTestClock();
  let simulator: ProviderSimulator;

  beforeEach(async () => {
    simulator = await startProviderSimulator({ now: clock.now });
  });
  afterEach(() => simulator.stop());

  const authorizationUrl = ({ id, authorize }: FullRecord, change: Record<string, string> = {}): string => {
    const params = {
      response_type: 'code',
      client_id: `client-of-${id}`,
      redirect_uri: `http://localhost:3000/api/integrations/${id}/callback`,
      scope: 'offline read write',
      state: STATE,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...authorize.params,
      ...change,
    };
    const sent = Object.entries(params).filter(([, value]) => value !== '');
    return `${authorize.url}?${new URLSearchParams(sent)}`;
  };

  const consentTo = (record: FullRecord, options: ProviderOptions = {}, change: Record<string, string> = {}) => {
    const { clientId, clientSecret } = simulator.add(record, options);
    const callback = new URL(simulator.consent(authorizationUrl(record, change)));
    return { clientId, clientSecret, callback, code: callback.searchParams.get('code') ?? '' };
  };

  type Body = Record<string, string>;

  const post = async (url: string, body: Body, headers: Body = {}, json = false) => {
    const answer = await simulator.outbound.request({
      url,
      method: 'POST',
      headers: { 'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded', ...headers },
      body: json ? JSON.stringify(body) : new URLSearchParams(body).toString(),
      timeoutMs: 5_000,
      mostBytes: 100_000,
    });
    const text = answer.body.toString();
    return { status: answer.status, text, body: /^[[{]/.test(text) ? JSON.parse(text) : null };
  };

  const get = async (url: string, headers: Body = {}) => {
    const answer = await simulator.outbound.request({ url, headers, timeoutMs: 5_000, mostBytes: 100_000 });
    const text = answer.body.toString();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  };

  type Client = { clientId: string; clientSecret: string };

  const exchange = ({ clientId, clientSecret, code }: Client & { code: string }): Body => ({
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'http://localhost:3000/api/integrations/plain/callback',
    code_verifier: VERIFIER,
    client_id: clientId,
    client_secret: clientSecret,
  });

  const refreshing = ({ clientId, clientSecret }: Client, refreshToken: string): Body => ({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });

  const lastReasons = (): string => simulator.requests.at(-1)?.reasons.join('; ') ?? 'no request arrived';

  test('plays the whole flow: consent, tokens, identity, refresh and revocation', async () => {
    const start = consentTo(plain);
    assert.equal(start.callback.searchParams.get('state'), STATE);
    const first = await post(plain.token.url, exchange(start));
    assert.equal(first.status, 200, lastReasons());
    assert.equal(first.body.scope, 'offline read write');
    assert.equal(first.body.expires_in, 3_600);

    const me = await get('https://api.plain.test/me', { authorization: `Bearer ${first.body.access_token}` });
    assert.equal(me.body.user.id, 'plain-account-1');
    assert.equal(me.body.user.emails[0].primary, false);
    assert.equal(me.body.user.emails[1].address, 'plain-account-1@example.com');

    clock.advance(3_601_000);
    const late = await get('https://api.plain.test/me', { authorization: `Bearer ${first.body.access_token}` });
    assert.equal(late.status, 401);

    const second = await post(plain.token.url, refreshing(start, first.body.refresh_token));
    assert.equal(second.status, 200, lastReasons());
    assert.notEqual(second.body.refresh_token, first.body.refresh_token);
    assert.equal(simulator.issued('plain').accessToken, second.body.access_token);

    const client = { client_id: start.clientId, client_secret: start.clientSecret };
    const revoked = await post('https://api.plain.test/revoke', { ...client, token: second.body.refresh_token });
    assert.equal(revoked.status, 200, lastReasons());
    const again = await post('https://api.plain.test/revoke', { ...client, token: second.body.refresh_token });
    assert.equal(again.status, 200);
    assert.match(lastReasons() ?? '', /revoked/);
    assert.deepEqual(
      simulator.requests.map(({ kind }) => kind),
      ['token', 'identity', 'identity', 'refresh', 'revoke', 'revoke'],
    );
  });

  const wrongAuthorizations: [string, Record<string, string>, RegExp][] = [
    ['another response type', { response_type: 'token' }, /response_type/],
    ['another client', { client_id: 'x' }, /client_id/],
    ['another redirect address', { redirect_uri: 'http://localhost:3000/' }, /redirect_uri/],
    ['a short state', { state: 'short' }, /state has 5 characters/],
    ['a state that is too long', { state: 's'.repeat(1_001) }, /state has 1001/],
    ['no challenge', { code_challenge: '' }, /code_challenge/],
    ['a plain challenge', { code_challenge_method: 'plain' }, /code_challenge_method/],
    ['its own params missing', { prompt: '' }, /"prompt"/],
    ['a param of nobody', { nonce: '1' }, /"nonce" that must not be there/],
    ['a required scope missing', { scope: 'read write' }, /"offline" is missing/],
    ['another separator', { scope: 'offline,read,write' }, /"offline" is missing/],
  ];
  for (const [what, change, reason] of wrongAuthorizations)
    test(`shows no consent page to a request with ${what}`, () => {
      simulator.add(plain);
      assert.throws(() => simulator.consent(authorizationUrl(plain, change)), reason);
    });

  test('requires no challenge if PKCE is off, and nothing that the entry leaves out', () => {
    const record: FullRecord = { ...plain, pkce: 'off', authorize: { ...plain.authorize, omit: ['response_type'] } };
    simulator.add(record);
    const bare = { code_challenge: '', code_challenge_method: '', response_type: '' };
    assert.ok(simulator.consent(authorizationUrl(record, bare)));
    assert.throws(
      () => simulator.consent(authorizationUrl(record, { ...bare, response_type: 'code' })),
      /response_type/,
    );
    assert.throws(() => simulator.consent(authorizationUrl(record, { response_type: '' })), /code_challenge/);
  });

  test('tells a raw plus between scopes from a space', () => {
    const record: FullRecord = { ...plain, authorize: { ...plain.authorize, scopeSeparator: '+' } };
    simulator.add(record);
    const good = authorizationUrl(record);
    assert.match(good, /scope=offline\+read\+write/);
    assert.ok(simulator.consent(good));
    assert.throws(() => simulator.consent(good.replace('offline+read', 'offline%20read')), /raw "\+"/);
  });

  test('sends the browser back with an error when the person denies', () => {
    simulator.add({ ...plain, issuer: 'https://plain.test' });
    const { searchParams } = new URL(simulator.consent(authorizationUrl(plain), { deny: true }));
    assert.deepEqual(Object.fromEntries(searchParams), {
      state: STATE,
      iss: 'https://plain.test',
      error: 'access_denied',
    });
  });

  const wrongExchanges: [string, Body, RegExp][] = [
    ['another secret', { client_secret: 'wrong' }, /client_secret/],
    ['another verifier', { code_verifier: 'w'.repeat(43) }, /code_verifier/],
    ['another redirect address', { redirect_uri: 'http://localhost:3000/else' }, /redirect_uri/],
    ['another code', { code: 'else' }, /"code"/],
    ['another grant type', { grant_type: 'password' }, /grant_type/],
    ['a param too many', { scope: 'read' }, /"scope" that must not be there/],
  ];
  for (const [what, change, reason] of wrongExchanges)
    test(`issues no token for ${what}`, async () => {
      const start = consentTo(plain);
      const answer = await post(plain.token.url, { ...exchange(start), ...change });
      assert.ok(answer.status >= 400, answer.text);
      assert.match(lastReasons(), reason);
      assert.match(simulator.explain('plain'), reason);
      const mended = await post(plain.token.url, exchange(start));
      assert.equal(mended.status, 200, lastReasons());
    });

  test('issues no token for a wrong encoding, a wrong authentication method or a missing param', async () => {
    const start = consentTo(plain);
    const { code_verifier: _, ...without } = exchange(start);
    assert.equal((await post(plain.token.url, without)).status, 400);
    assert.match(lastReasons(), /no param "code_verifier"/);
    await post(plain.token.url, exchange(start), {}, true);
    assert.match(lastReasons(), /the body is json, wanted form/);
    await post(plain.token.url, exchange(start), { authorization: `Basic ${btoa('a:b')}` });
    assert.match(lastReasons(), /no Authorization header/);
    await get(`${plain.token.url}?${new URLSearchParams(exchange(start))}`);
    assert.match(lastReasons(), /method is GET.*must not be there/);
  });

  test('accepts a code once and within ten minutes', async () => {
    const start = consentTo(plain);
    assert.equal((await post(plain.token.url, exchange(start))).status, 200);
    assert.equal((await post(plain.token.url, exchange(start))).body.error, 'invalid_grant');
    assert.match(lastReasons(), /used before/);
    const later = consentTo(plain);
    clock.advance(600_001);
    await post(plain.token.url, exchange(later));
    assert.match(lastReasons(), /the code has expired/);
  });

  for (const encoding of ['form', 'raw'] as const)
    test(`tells ${encoding}-encoded Basic from the other`, async () => {
      const record: FullRecord = { ...plain, token: { ...plain.token, auth: 'basic', basicEncoding: encoding } };
      const start = consentTo(record);
      const { client_id = '', client_secret = '', ...body } = exchange(start);
      const form = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
      const raw = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
      const encoded = { authorization: `Basic ${btoa(`${form(client_id)}:${form(client_secret)}`)}` };
      const [right, wrong] = encoding === 'form' ? [encoded, raw] : [raw, encoded];
      assert.equal((await post(plain.token.url, body, wrong)).status, 401);
      assert.match(lastReasons(), /must prove itself by Basic/);
      assert.equal((await post(plain.token.url, { ...body, client_id }, right)).status, 400);
      assert.equal((await post(plain.token.url, body, right)).status, 200, lastReasons());
    });

  test('renames, adds and leaves out params, and requires its headers', async () => {
    const record: FullRecord = {
      ...plain,
      token: {
        url: 'https://api.plain.test/token',
        body: 'json',
        rename: { client_id: 'client_key' },
        omit: ['redirect_uri'],
        params: { user_type: 'company', empty: '{tenant}' },
        headers: { 'X-Version': '7', 'X-Empty': '{tenant}' },
      },
      defaults: { tenant: '' },
    };
    const start = consentTo(record);
    const { client_id = '', redirect_uri: _, ...rest } = exchange(start);
    const right = { ...rest, client_key: client_id, user_type: 'company' };
    await post(plain.token.url, right, {}, true);
    assert.match(lastReasons(), /header "x-version"/);
    await post(plain.token.url, { ...right, empty: '' }, { 'x-version': '7' }, true);
    assert.match(lastReasons(), /"empty" that must not be there/);
    assert.equal((await post(plain.token.url, right, { 'x-version': '7' }, true)).status, 200, lastReasons());
  });

  const begin = async (record: FullRecord, options: ProviderOptions = {}) => {
    const start = consentTo(record, options);
    const { body } = await post(record.token.url, exchange(start));
    assert.ok(body, lastReasons());
    return { ...start, body, refreshWith: (token: string) => post(record.token.url, refreshing(start, token)) };
  };

  test('ends a rotating refresh token when it is used, or after its grace period', async () => {
    const strict = await begin(plain);
    assert.equal((await strict.refreshWith(strict.body.refresh_token)).status, 200, lastReasons());
    assert.equal((await strict.refreshWith(strict.body.refresh_token)).body.error, 'invalid_grant');
    assert.match(lastReasons(), /used before, and it rotates/);

    const lenient = await begin({ ...plain, refresh: { rotates: 'always', graceSeconds: 60 } });
    assert.equal((await lenient.refreshWith(lenient.body.refresh_token)).status, 200);
    clock.advance(59_000);
    assert.equal((await lenient.refreshWith(lenient.body.refresh_token)).status, 200, lastReasons());
    clock.advance(2_000);
    assert.equal((await lenient.refreshWith(lenient.body.refresh_token)).status, 400);
  });

  test('can end the grant when a refresh token is reused', async () => {
    const { body, refreshWith } = await begin(plain, { reuseEndsGrant: true });
    const second = await refreshWith(body.refresh_token);
    await refreshWith(body.refresh_token);
    assert.equal((await refreshWith(second.body.refresh_token)).body.error, 'invalid_grant');
    assert.match(lastReasons(), /ended the grant/);
  });

  test('accepts nothing more once consent is withdrawn', async () => {
    const { body, refreshWith } = await begin(plain);
    simulator.withdraw('plain');
    assert.equal((await refreshWith(body.refresh_token)).body.error, 'invalid_grant');
    const me = await get('https://api.plain.test/me', { authorization: `Bearer ${body.access_token}` });
    assert.equal(me.status, 401);
    assert.match(lastReasons(), /withdrawn/);
  });

  test("sends no new refresh token if it doesn't rotate", async () => {
    const { body, refreshWith } = await begin({ ...plain, refresh: { rotates: 'never', idleDays: 30 } });
    const second = await refreshWith(body.refresh_token);
    assert.equal(second.body.refresh_token, undefined);
    assert.equal((await refreshWith(body.refresh_token)).status, 200);
    clock.advance(31 * 24 * 3_600_000);
    assert.equal((await refreshWith(body.refresh_token)).body.error, 'invalid_grant');
    assert.match(lastReasons(), /idle/);
  });

  test('extends an access token if there is no refresh token, but not too early', async () => {
    const record: FullRecord = {
      ...plain,
      refresh: {
        url: 'https://api.plain.test/prolong',
        method: 'GET',
        body: 'query',
        auth: 'none',
        omit: ['client_id'],
        with: 'access_token',
        params: { grant_type: 'prolong', access_token: '{access_token}' },
        rotates: 'never',
        leastAgeSeconds: 86_400,
      },
    };
    const { body } = await begin(record);
    assert.equal(body.refresh_token, undefined);
    const query = new URLSearchParams({ grant_type: 'prolong', access_token: body.access_token });
    await get(`https://api.plain.test/prolong?${query}`);
    assert.match(lastReasons(), /too young/);
    clock.advance(86_400_000);
    const second = await get(`https://api.plain.test/prolong?${query}`);
    assert.equal(second.status, 200, lastReasons());
    assert.equal((await get(`https://api.plain.test/prolong?${query}`)).status, 400);
  });

  const NONCES = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(32));

  test('wants a fresh random value in the authorization request, and in each request with one', async () => {
    const headers = { 'x-trace': '{random}' };
    const record: FullRecord = {
      ...plain,
      authorize: { ...plain.authorize, params: { ...plain.authorize.params, nonce: '{random}' } },
      token: { ...plain.token, headers },
    };
    const [one = '', two = '', three = ''] = NONCES;
    for (const nonce of ['', 'short', '{random}', one.toUpperCase(), `${one}0`])
      assert.throws(() => consentTo(record, {}, { nonce }), /"nonce"/, nonce);
    const start = consentTo(record, {}, { nonce: one });
    assert.throws(() => simulator.consent(authorizationUrl(record, { nonce: one })), /"nonce"/, 'It was used before.');
    assert.equal((await post(plain.token.url, exchange(start))).status, 400);
    assert.match(lastReasons(), /header "x-trace"/);
    await post(plain.token.url, exchange(start), { 'x-trace': one });
    assert.match(lastReasons(), /header "x-trace"/);
    const { body } = await post(plain.token.url, exchange(start), { 'x-trace': two });
    assert.ok(body.access_token, lastReasons());
    await post(plain.token.url, refreshing(start, body.refresh_token), { 'x-trace': two });
    assert.match(lastReasons(), /header "x-trace"/);
    const again = await post(plain.token.url, refreshing(start, body.refresh_token), { 'x-trace': three });
    assert.equal(again.status, 200, lastReasons());
  });

  test('wants the state of the authorization request in the exchange, if the entry says so', async () => {
    const record: FullRecord = { ...plain, token: { ...plain.token, params: { state: '{state}' } } };
    const start = consentTo(record);
    for (const state of [{}, { state: 'x'.repeat(32) }] as Body[]) {
      assert.equal((await post(plain.token.url, { ...exchange(start), ...state })).status, 400);
      assert.match(lastReasons(), /"state"/);
    }
    assert.equal((await post(plain.token.url, { ...exchange(start), state: STATE })).status, 200, lastReasons());
  });

  test('wants what belongs to the client, exactly', async () => {
    const field = { label: 'Key', about: 'A key.' };
    const record: FullRecord = {
      ...plain,
      clientFields: { key: field },
      token: { ...plain.token, headers: { 'x-key': '{key}' } },
    };
    const start = consentTo(record);
    for (const headers of [{}, { 'x-key': 'another' }] as Body[]) {
      assert.equal((await post(plain.token.url, exchange(start), headers)).status, 400);
      assert.match(lastReasons(), /header "x-key"/);
    }
    const right = { 'x-key': 'key of plain +%41&=/~' };
    assert.equal((await post(plain.token.url, exchange(start), right)).status, 200, lastReasons());
  });

  test('extends its tokens without sending any, if the entry says so', async () => {
    const extended = { result: '0000', 'data.state': 'ok' };
    const { body, refreshWith } = await begin({
      ...plain,
      refresh: { rotates: 'never', extended, response: { defaultExpiresIn: 7_200 } },
    });
    clock.advance(3_000_000);
    assert.deepEqual((await refreshWith(body.refresh_token)).body, { result: '0000', data: { state: 'ok' } });
    const { accessToken, refreshToken, expiresAt } = simulator.issued('plain');
    assert.deepEqual([accessToken, refreshToken], [body.access_token, body.refresh_token]);
    assert.equal(expiresAt, clock.now() + 7_200_000);
    clock.advance(7_000_000);
    const me = await get('https://api.plain.test/me', { authorization: `Bearer ${body.access_token}` });
    assert.equal(me.status, 200, lastReasons());
  });

  test('sends a numeric code as a number', async () => {
    const errors = { code: ['error'], invalidGrant: [{ code: '105', says: { status: '1400' } }] };
    const { refreshWith } = await begin({ ...plain, errors });
    simulator.withdraw('plain');
    const { refreshToken } = simulator.issued('plain');
    const { body } = await refreshWith(refreshToken ?? '');
    assert.deepEqual([body.error, body.status], [105, 1_400]);
  });

  test("responds with the entry's fields, places and formats", async () => {
    const response = {
      roots: ['data'],
      accessToken: ['token'],
      expiresAt: ['until'],
      scope: ['granted'],
      keep: { api_base: 'server.url', tenant: 'tenant' },
    };
    const record: FullRecord = {
      ...plain,
      domains: ['plain.test'],
      token: { ...plain.token, response },
      identity: { url: '{api_base}/{tenant}/me', id: '[0].id', label: '[0].id' },
    };
    const { body } = await begin(record, { status: 201, tokenType: null, expiresAtAs: 'iso', scopesAs: 'array' });
    assert.equal(body.data.until, new Date(clock.now() + 3_600_000).toISOString());
    assert.deepEqual(body.data.granted, ['offline', 'read', 'write']);
    assert.equal(body.data.token_type, undefined);
    assert.match(body.server.url, /^https:\/\/[a-z]+\.plain\.test$/);
    const me = await get(`${body.server.url}/${body.tenant}/me`, { authorization: `Bearer ${body.data.token}` });
    assert.deepEqual(me.body, [{ id: 'plain-account-1' }]);
    assert.deepEqual(simulator.issued('plain').account, { id: 'plain-account-1', label: 'plain-account-1' });
    const elsewhere = get(`https://evil.test/${body.tenant}/me`, { authorization: `Bearer ${body.data.token}` });
    await assert.rejects(elsewhere, OutboundFailed);
  });

  test('refuses with status 200 if the entry says so', async () => {
    const record: FullRecord = { ...plain, errors: { okField: 'ok', code: ['why'], invalidGrant: ['gone'] } };
    const { body, refreshWith } = await begin(record);
    assert.equal(body.ok, true);
    await refreshWith(body.refresh_token);
    const again = await refreshWith(body.refresh_token);
    assert.equal(again.status, 200);
    assert.deepEqual([again.body.ok, again.body.why], [false, 'gone']);
  });

  test('can give the expiry only in a JWT, and respond with a form', async () => {
    const record: FullRecord = { ...plain, token: { ...plain.token, response: { expiryFromJwt: true } } };
    const { body } = await begin(record);
    assert.equal(body.expires_in, undefined);
    const { exp } = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    assert.equal(exp, Math.floor(clock.now() / 1_000) + 3_600);
    const start = consentTo(plain, { formAnswer: true });
    const { text } = await post(plain.token.url, exchange(start));
    assert.equal(new URLSearchParams(text).get('access_token'), simulator.issued('plain').accessToken);
  });

  test('upgrades a first token, which then no longer works', async () => {
    const upgrade = {
      url: 'https://api.plain.test/upgrade',
      method: 'GET' as const,
      params: { exchange: '{access_token}' },
    };
    const start = await begin({ ...plain, token: { ...plain.token, upgrade } });
    assert.equal(start.body.refresh_token, undefined);
    const query = new URLSearchParams({
      exchange: start.body.access_token,
      client_id: start.clientId,
      client_secret: start.clientSecret,
    });
    const second = await get(`https://api.plain.test/upgrade?${query}`);
    assert.equal(second.status, 200, lastReasons());
    assert.ok(second.body.refresh_token);
    const me = (token: string) => get('https://api.plain.test/me', { authorization: `Bearer ${token}` });
    assert.equal((await me(start.body.access_token)).status, 401);
    assert.equal((await me(second.body.access_token)).status, 200);
  });

  test('signs its callback and adds what is to be kept', async () => {
    const record: FullRecord = {
      ...plain,
      params: { shop: { about: 'The shop', pattern: '[a-z]+', example: 'acme' } },
      domains: ['plain.test'],
      authorize: { url: 'https://{shop}.plain.test/authorize' },
      token: { url: 'https://{shop}.plain.test/token' },
      callback: { keep: { place: { param: 'shop', pattern: '[a-z]+\\.plain\\.test' } }, hmacParam: 'hmac' },
    };
    const credentials = simulator.add(record);
    const url = authorizationUrl(record).replace('{shop}', 'bakery');
    const { searchParams } = new URL(simulator.consent(url));
    assert.equal(searchParams.get('shop'), 'bakery.plain.test');
    assert.match(searchParams.get('hmac') ?? '', /^[0-9a-f]{64}$/);
    const body = exchange({ ...credentials, code: searchParams.get('code') ?? '' });
    await post('https://bistro.plain.test/token', body);
    assert.match(lastReasons(), /address is https:\/\/bistro.plain.test\/token, wanted https:\/\/bakery/);
  });

  test('names granted scopes in the response or only in the callback', async () => {
    const grantedScopes = ['offline', 'read'];
    const granted = async (record: FullRecord) => {
      const credentials = simulator.add(record);
      const { searchParams } = new URL(simulator.consent(authorizationUrl(record), { grantedScopes }));
      const { body } = await post(plain.token.url, exchange({ ...credentials, code: searchParams.get('code') ?? '' }));
      return [body.scope, searchParams.get('scope')];
    };
    assert.deepEqual(await granted(plain), ['offline read', null]);
    assert.deepEqual(await granted({ ...plain, callback: { scopeParam: 'scope' } }), [undefined, 'offline read']);
  });

  test('identifies an account by what the callback contained, if the entry says so', async () => {
    const record: FullRecord = {
      ...plain,
      callback: { keep: { realm: { param: 'realmId', pattern: '[0-9]+', required: true } } },
      identity: { url: 'https://api.plain.test/{realm}', id: '{realm}', label: 'name' },
    };
    const { callback, body } = await begin(record);
    const realm = callback.searchParams.get('realmId') ?? '';
    const me = await get(`https://api.plain.test/${realm}`, { authorization: `Bearer ${body.access_token}` });
    assert.deepEqual(me.body, { name: 'plain-account-1@example.com' });
    assert.deepEqual(simulator.issued('plain').account, { id: realm, label: 'plain-account-1@example.com' });
  });

  test('revokes the token that the entry prefers, by header or by address', async () => {
    const record: FullRecord = {
      ...plain,
      revoke: {
        url: 'https://api.plain.test/tokens/{token}',
        method: 'DELETE',
        auth: 'none',
        body: 'none',
        param: '',
        token: 'access',
        headers: { authorization: 'Bearer {access_token}' },
        ok: [204],
      },
    };
    const { body } = await begin(record);
    const revoke = (token: string) =>
      simulator.outbound.request({
        url: `https://api.plain.test/tokens/${encodeURIComponent(token)}`,
        method: 'DELETE',
        headers: { authorization: `Bearer ${body.access_token}` },
        timeoutMs: 5_000,
        mostBytes: 1_000,
      });
    assert.equal((await revoke(body.refresh_token)).status, 400);
    assert.match(lastReasons(), /the address is/);
    assert.equal((await revoke(body.access_token)).status, 204, lastReasons());
    assert.equal(simulator.requests.at(-1)?.accessToken, body.access_token);
  });

  test('fails on demand, before or after doing the work', async () => {
    const start = await begin(plain);
    const attempt = () => start.refreshWith(start.body.refresh_token);
    simulator.fail('plain', 'refresh', 'server_error');
    simulator.fail('plain', 'refresh', 'html');
    simulator.fail('plain', 'refresh', { retryAfterSeconds: 7 });
    simulator.fail('plain', 'refresh', 'invalid_client');
    simulator.fail('plain', 'refresh', 'error_with_200');
    simulator.fail('plain', 'refresh', 'malformed_json');
    simulator.fail('plain', 'refresh', { delayMs: 1 });
    const statuses = [];
    for (let turn = 0; turn < 7; turn++) {
      const { status } = await attempt().catch((error) =>
        error instanceof SyntaxError ? { status: 200 } : { status: 0 },
      );
      statuses.push(status);
    }
    assert.deepEqual(statuses, [500, 200, 429, 401, 200, 200, 200], simulator.explain('plain'));

    const { refreshToken } = simulator.issued('plain');
    simulator.fail('plain', 'refresh', 'huge_body');
    simulator.fail('plain', 'refresh', 'no_answer', { afterWork: true });
    for (const reason of ['too_large', 'network'])
      await assert.rejects(start.refreshWith(refreshToken ?? ''), (error) => {
        assert.ok(error instanceof OutboundFailed, String(error));
        assert.equal(error.reason, reason);
        return true;
      });
    assert.notEqual(simulator.issued('plain').refreshToken, refreshToken, 'The work was done.');
    assert.equal((await start.refreshWith(refreshToken ?? '')).body.error, 'invalid_grant');
  });

  test("rejects unknown addresses, hosts that aren't allowed, and plain http", async () => {
    simulator.add(plain);
    const ask = (url: string, hosts = (_: string) => true) =>
      simulator.outbound.request({ url, hosts, timeoutMs: 1_000, mostBytes: 1_000 });
    const expectReason = (request: Promise<unknown>, reason: string) =>
      assert.rejects(request, (error) => error instanceof OutboundFailed && error.reason === reason);
    await expectReason(ask('https://elsewhere.test/'), 'network');
    await expectReason(
      ask(plain.token.url, () => false),
      'refused_host',
    );
    await expectReason(ask('http://api.plain.test/token'), 'bad_url');
    assert.deepEqual(simulator.strays, [
      'https://elsewhere.test/ (network)',
      'https://api.plain.test/token (refused_host)',
      'http://api.plain.test/token (bad_url)',
    ]);
  });

  test('tells a revocation from a query if both are GraphQL at one address', async () => {
    const graphql = { url: 'https://api.plain.test/graphql', method: 'POST', body: 'json' } as const;
    const headers = { authorization: 'Bearer {access_token}' };
    const { body } = await begin({
      ...plain,
      identity: { ...graphql, params: { query: '{ me { id } }' }, id: 'data.me.id', label: 'data.me.id' },
      revoke: { ...graphql, auth: 'none', param: '', token: 'access', headers, params: { query: 'mutation { end }' } },
    });
    const bearer = { authorization: `Bearer ${body.access_token}` };
    const me = await post(graphql.url, { query: '{ me { id } }' }, bearer, true);
    assert.equal(me.body.data.me.id, 'plain-account-1');
    await post(graphql.url, { query: 'mutation { end }' }, bearer, true);
    assert.deepEqual(
      simulator.requests.map(({ kind, status }) => `${kind} ${status}`),
      ['token 200', 'identity 200', 'revoke 200'],
    );
  });

  test('plays what the proxy sends as the verification, with the credential where the entry puts it', async () => {
    const verify = { method: 'GET', path: '/me' } as const;
    const api = { url: 'https://api.plain.test', headers: { 'X-Version': '7' }, verify };
    const pass = async (path: string, headers: Body) => {
      const { status, body } = await simulator.forwarder.forward({
        ...{ owner: 'team', method: 'GET', origin: new URL(api.url), path, headers: Object.entries(headers) },
        ...{ body: null, trusted: false, signal: new AbortController().signal },
      });
      if (body instanceof Readable) body.resume();
      return `${simulator.requests.at(-1)?.kind} ${status}`;
    };

    const { body } = await begin({ ...plain, api });
    const authorization = `Bearer ${body.access_token}`;
    assert.equal(await pass('/me', { authorization, 'x-version': '7' }), 'verify 200', lastReasons());
    assert.equal(await pass('/me', { authorization }), 'verify 400');
    assert.match(lastReasons(), /header "x-version"/);
    await assert.rejects(pass('/else', { authorization }), OutboundFailed);

    const second = await begin({ ...plain, api: { ...api, credential: { query: 'key' } } });
    const query = new URLSearchParams({ key: second.body.access_token });
    assert.equal(await pass(`/me?${query}`, { 'x-version': '7' }), 'verify 200', lastReasons());
    simulator.withdraw('plain');
    assert.equal(await pass(`/me?${query}`, { 'x-version': '7' }), 'verify 401');
    await simulator.forwarder.close();
  });

  test('gives what is kept from the identity response', async () => {
    const identity = { url: 'https://api.plain.test/me', id: 'id', label: 'id', keep: { base: 'places[own].base' } };
    const { body } = await begin({ ...plain, domains: ['plain.test'], identity, api: { url: '{base}/v1' } });
    const me = await get(identity.url, { authorization: `Bearer ${body.access_token}` });
    assert.match(me.body.places[1].base, /^https:\/\/[a-z]+\.plain\.test$/);
  });

  test('refuses an entry with a placeholder that nothing fills in', () => {
    const record: FullRecord = { ...plain, identity: { url: 'https://api.plain.test/{realm}', id: 'id', label: 'id' } };
    assert.throws(() => simulator.add(record), /nothing fills \{realm\}/);
  });
});
