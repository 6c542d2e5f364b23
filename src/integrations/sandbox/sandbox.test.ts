import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import Schema from 'typebox/schema';
import { createTestApp, createTestLog, type TestApp } from '../../../test/harness/app.ts';
import { FullRecord } from '../catalogue/provider.ts';
import { createSandbox, type Sandbox } from './index.ts';

/** A port that was free a moment ago: the sandbox needs its address before the server listens. */
const findPort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

/** As much of a browser as the sandbox needs: cookies with their paths, and no redirect unless told to follow it. */
const createBrowser = () => {
  const jar = new Map<string, { path: string; pair: string }>();

  const keep = (line: string): void => {
    const [pair = ''] = line.split(';');
    const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
    jar.set(`${path} ${pair.split('=')[0]}`, { path, pair });
  };

  const visit = async (address: string, init: RequestInit = {}) => {
    const { pathname } = new URL(address);
    const cookies = [...jar.values()].filter(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
    const headers = { accept: 'text/html', cookie: cookies.map(({ pair }) => pair).join('; '), ...init.headers };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(line);
    return response;
  };
  return { visit, cookies: () => [...jar.values()] };
};

type Browser = ReturnType<typeof createBrowser>;

const locationOf = (response: Response): URL => new URL(response.headers.get('location') ?? '', response.url);

describe('the sandbox', () => {
  const { log, lines } = createTestLog();
  const printed: string[] = [];
  const insecure = { [oauth.allowInsecureRequests]: true };
  let stage: TestApp;
  let sandbox: Sandbox;
  let url: string;
  let server: oauth.AuthorizationServer;
  let client: oauth.Client;
  let authentication: oauth.ClientAuth;
  let callback: string;

  before(async () => {
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      stream.write = ((chunk: string, ...rest: []) => {
        if (String(chunk).includes('oidc-provider')) printed.push(String(chunk));
        return write(chunk, ...rest);
      }) as typeof stream.write;
    }
    const port = await findPort();
    url = `http://127.0.0.1:${port}`;
    sandbox = createSandbox({ url, log, getDatabase: () => stage.app.database });
    stage = await createTestApp('sqlite', {
      routes: [sandbox.routes],
      env: { PATCHBAY_RATE_LIMIT: '100000', PATCHBAY_SANDBOX: 'off' },
    });
    await stage.server.listen({ host: '127.0.0.1', port });
    callback = `${url}/api/integrations/sandbox/callback`;
    client = { client_id: sandbox.clientId };
    authentication = oauth.ClientSecretBasic(sandbox.clientSecret.reveal());
    const { record } = sandbox;
    server = {
      issuer: record.issuer ?? '',
      authorization_endpoint: record.authorize.url,
      token_endpoint: record.token.url,
      revocation_endpoint: record.revoke?.url ?? '',
      userinfo_endpoint: record.identity?.url ?? '',
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['ES256'],
    };
  });

  after(() => stage.close());

  const begin = async (changes: Record<string, string | null> = {}) => {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(sandbox.record.authorize.url);
    const params = {
      client_id: sandbox.clientId,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid offline_access email profile',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...sandbox.record.authorize.params,
      ...changes,
    };
    for (const [name, value] of Object.entries(params)) if (value !== null) address.searchParams.set(name, value);
    return { address: address.href, state, verifier };
  };

  const post = (browser: Browser, address: URL, fields: Record<string, string>) =>
    browser.visit(address.href, { method: 'POST', body: new URLSearchParams(fields) });

  /** Goes from the authorization address to the callback, where nothing listens in this test. */
  const consent = async (browser: Browser, fields: Record<string, string>) => {
    const attempt = await begin();
    const begun = await browser.visit(attempt.address);
    assert.equal(begun.status, 303);
    const answered = await post(browser, locationOf(begun), fields);
    assert.equal(answered.status, 200, 'a page, which a form may lead to whatever comes after');
    const goesOn = /^0;url=(.+)$/.exec(answered.headers.get('refresh') ?? '')?.[1] ?? '';
    assert.match(await answered.text(), /<a href="[^"]+">Continue<\/a>/);
    const back = locationOf(await browser.visit(goesOn));
    assert.equal(`${back.origin}${back.pathname}`, callback);
    return { ...attempt, back };
  };

  const allow = (browser: Browser, account = 'sandbox-1') => consent(browser, { answer: 'allow', account });

  const getTokens = async ({ back, state, verifier }: Awaited<ReturnType<typeof consent>>) => {
    const params = oauth.validateAuthResponse(server, client, back, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      params,
      callback,
      verifier,
      insecure,
    );
    return oauth.processAuthorizationCodeResponse(server, client, response);
  };

  const connect = async (account?: string) => getTokens(await allow(createBrowser(), account));

  const refresh = async (token = '') => {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure);
    return oauth.processRefreshTokenResponse(server, client, response);
  };

  const revoke = async (token: string) =>
    oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authentication, token, insecure));

  const whoIs = (token: string) => oauth.userInfoRequest(server, client, token, insecure);

  const isInvalidGrant = { name: 'ResponseBodyError', error: 'invalid_grant' };

  test('describes itself like any other provider in the catalog', () => {
    assert.equal(Schema.Check(FullRecord, sandbox.record), true);
    assert.equal(sandbox.record.id, 'sandbox');
    assert.equal(sandbox.record.issuer, `${url}/sandbox`);
    assert.equal(String(sandbox.clientSecret), '[secret]');
  });

  test('can be discovered at the addresses in its record, whatever host the request names', async () => {
    const response = await stage.server.inject({
      url: '/sandbox/.well-known/openid-configuration',
      headers: { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example', 'x-forwarded-proto': 'https' },
    });
    const found = response.json<Record<string, unknown>>();
    for (const name of [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'revocation_endpoint',
      'userinfo_endpoint',
    ])
      assert.equal(found[name], server[name], name);
    assert.deepEqual(found['code_challenge_methods_supported'], ['S256']);
    const keys = await fetch(String(found['jwks_uri']));
    assert.equal(((await keys.json()) as { keys: object[] }).keys.length, 1);
  });

  test('asks for consent on our own page: who wants what, from which account', async () => {
    const browser = createBrowser();
    const begun = await browser.visit((await begin()).address);
    const page = await browser.visit(locationOf(begun).href);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self'/);
    const text = await page.text();
    for (const words of ['Patchbay Sandbox', '<strong>Patchbay</strong> wants', 'First account', 'Second account'])
      assert.ok(text.includes(words), words);
    for (const words of ['see its email address', 'stay connected', 'value="allow"', 'value="deny"'])
      assert.ok(text.includes(words), words);
    assert.ok(!/https?:\/\//.test(text), 'nothing from elsewhere');
  });

  test('connects, identifies the account, rotates the refresh token, and revokes', async () => {
    const tokens = await connect();
    assert.equal(tokens.expires_in, 600);
    assert.equal(tokens.scope, 'openid email profile offline_access');
    assert.doesNotMatch(tokens.access_token, /\./, 'opaque');
    const userinfo = await oauth.processUserInfoResponse(server, client, 'sandbox-1', await whoIs(tokens.access_token));
    assert.equal(userinfo.email, 'first-account@sandbox.test');
    assert.equal(userinfo.name, 'First account');

    const second = await refresh(tokens.refresh_token);
    assert.notEqual(second.refresh_token, tokens.refresh_token);
    const third = await refresh(second.refresh_token);
    assert.equal((await whoIs(third.access_token)).status, 200);

    await revoke(third.refresh_token ?? '');
    await assert.rejects(refresh(third.refresh_token), isInvalidGrant);
    await assert.rejects(
      whoIs(third.access_token).then((answer) => oauth.processUserInfoResponse(server, client, 'sandbox-1', answer)),
    );
  });

  test('ends the whole grant if a refresh token or a code is reused', async () => {
    const tokens = await connect();
    const second = await refresh(tokens.refresh_token);
    await assert.rejects(refresh(tokens.refresh_token), isInvalidGrant);
    await assert.rejects(refresh(second.refresh_token), isInvalidGrant);

    const consented = await allow(createBrowser());
    const others = await getTokens(consented);
    await assert.rejects(getTokens(consented), isInvalidGrant);
    await assert.rejects(refresh(others.refresh_token), isInvalidGrant);
  });

  test('knows nothing of a token that it has not issued', async () => {
    await assert.rejects(refresh('a-token-from-elsewhere'), isInvalidGrant);
    await revoke('a-token-from-elsewhere');
  });

  test('stores no token that could be used, and nothing of a grant that was revoked', async () => {
    const { database } = stage.app;
    const tokens = await connect();
    const second = await refresh(tokens.refresh_token);
    const rows = JSON.stringify(await database.all('select * from sandbox_issued'));
    const issued = [tokens, second].flatMap((one) => [one.access_token, one.refresh_token ?? '']);
    for (const token of issued) assert.ok(!rows.includes(token), 'It is in the database.');
    assert.match(rows, /RefreshToken/);
    await database.run('delete from sandbox_issued');
    await revoke((await connect()).refresh_token ?? '');
    assert.deepEqual(await database.all('select kind from sandbox_issued'), []);
  });

  test('stores a grant once its code is redeemed, and nothing of what strangers allow', async () => {
    const { database } = stage.app;
    const listKinds = async () =>
      (await database.all<{ kind: string }>('select kind from sandbox_issued order by kind')).map(({ kind }) => kind);
    await database.run('delete from sandbox_issued');
    const consented = await allow(createBrowser());
    await allow(createBrowser());
    assert.deepEqual(await listKinds(), []);
    await getTokens(consented);
    assert.deepEqual(await listKinds(), ['AccessToken', 'Grant', 'RefreshToken']);
  });

  test('takes a refresh token once, even if it comes twice at the same moment', async () => {
    const { refresh_token: token } = await connect();
    const both = await Promise.allSettled([refresh(token), refresh(token)]);
    assert.ok(both.filter(({ status }) => status === 'fulfilled').length <= 1);
  });

  test('revoking one connection leaves another to the same account alone', async () => {
    const [one, other] = [await connect(), await connect()];
    await revoke(one.refresh_token ?? '');
    assert.ok((await refresh(other.refresh_token)).access_token);
  });

  test('returns access_denied and the state if consent is denied', async () => {
    const { back, state } = await consent(createBrowser(), { answer: 'deny', account: 'sandbox-1' });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('state'), state);
    assert.equal(back.searchParams.get('iss'), server.issuer);
    assert.equal(back.searchParams.get('code'), null);
  });

  test('asks every time, so the same browser can choose another account', async () => {
    const browser = createBrowser();
    const accounts: unknown[] = [];
    for (const account of ['sandbox-1', 'sandbox-2', 'sandbox-2', 'sandbox-1']) {
      const { access_token } = await getTokens(await allow(browser, account));
      accounts.push(((await (await whoIs(access_token)).json()) as { sub: string }).sub);
    }
    assert.deepEqual(accounts, ['sandbox-1', 'sandbox-2', 'sandbox-2', 'sandbox-1']);
    const cookies = browser.cookies();
    assert.ok(cookies.length > 0);
    assert.ok(cookies.every(({ path }) => path.startsWith('/sandbox/')));
  });

  test('accepts a decision once, only from the browser that was asked, and only for an account it offers', async () => {
    const browser = createBrowser();
    const question = locationOf(await browser.visit((await begin()).address));
    const yes = { answer: 'allow', account: 'sandbox-1' };
    assert.equal((await createBrowser().visit(question.href)).status, 410);
    assert.equal((await post(createBrowser(), question, yes)).status, 410);
    assert.equal((await post(browser, question, { ...yes, account: 'somebody' })).status, 400);
    assert.equal((await post(browser, question, { account: 'sandbox-1' })).status, 400);

    const goesOn = (await post(browser, question, yes)).headers.get('refresh')?.replace('0;url=', '') ?? '';
    assert.equal((await browser.visit(goesOn)).status, 303);
    assert.equal((await browser.visit(goesOn)).status, 400);
    assert.equal((await post(browser, question, yes)).status, 410);
    assert.equal((await browser.visit(question.href)).status, 410);
  });

  test('never redirects to an unregistered address or for an unknown client', async () => {
    const changes = [
      { redirect_uri: 'https://elsewhere.example/callback' },
      { redirect_uri: `${callback}/` },
      { client_id: 'another' },
      { client_id: null },
    ];
    for (const change of changes) {
      const answer = await createBrowser().visit((await begin(change)).address);
      assert.equal(answer.status, 400, JSON.stringify(change));
      assert.match(answer.headers.get('content-type') ?? '', /text\/html/);
      assert.match(await answer.text(), /The sandbox can&#39;t continue with this request/);
    }
  });

  test('reports missing PKCE, a wrong response type and missing consent to the client', async () => {
    const changes = [{ code_challenge: null, code_challenge_method: null }, { code_challenge_method: 'plain' }];
    for (const change of [...changes, { response_type: 'token' }, { prompt: 'none' }]) {
      const answer = await createBrowser().visit((await begin(change)).address);
      assert.equal(answer.status, 303, JSON.stringify(change));
      const back = locationOf(answer);
      assert.equal(`${back.origin}${back.pathname}`, callback);
      assert.ok(`${back.search}${back.hash}`.includes('error='), back.href);
    }
  });

  test('issues tokens only for the right secret, verifier and body', async () => {
    const { back, verifier } = await allow(createBrowser());
    const basic = (secret: string) => `Basic ${btoa(`${sandbox.clientId}:${secret}`)}`;
    const right = basic(sandbox.clientSecret.reveal());
    const fields = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: callback,
      code_verifier: verifier,
    };
    const ask = async (
      authorization: string | null,
      body: string | null,
      type = 'application/x-www-form-urlencoded',
    ) => {
      const answer = await fetch(`${url}/sandbox/token`, {
        method: 'POST',
        headers: { ...(authorization ? { authorization } : {}), 'content-type': type },
        body,
      });
      return `${answer.status} ${((await answer.json()) as { error?: string }).error}`;
    };
    const form = (changes: Record<string, string> = {}) => new URLSearchParams({ ...fields, ...changes }).toString();
    assert.equal(await ask(basic('guessed'), form()), '401 invalid_client');
    assert.equal(await ask('Basic %%%', form()), '400 invalid_request');
    assert.equal(await ask(null, form()), '400 invalid_request');
    assert.equal(await ask(right, null), '400 invalid_request');
    assert.equal(await ask(right, ''), '400 invalid_request');
    assert.equal(await ask(right, JSON.stringify(fields), 'application/json'), '400 invalid_request');
    assert.equal(await ask(right, 'a'.repeat(10_000)), '400 invalid_request');
    assert.equal(await ask(right, 'a'.repeat(100_000)), '413 undefined');
    assert.equal(await ask(right, form({ grant_type: 'client_credentials' })), '400 unsupported_grant_type');
    assert.equal(await ask(right, form({ code_verifier: 'a'.repeat(43) })), '400 invalid_grant');
  });

  test('responds with 404 or 405 to everything else, including HEAD', async () => {
    const ask = async (method: 'GET' | 'HEAD' | 'POST' | 'PUT', path: string) =>
      (await stage.server.inject({ method, url: path })).statusCode;
    for (const path of [
      '',
      '/',
      '/unknown',
      '/session/end',
      '/request',
      '/reg',
      '/device',
      '/interaction',
      '/authorize/a/b',
    ])
      assert.equal(await ask('GET', `/sandbox${path}`), 404, path);
    for (const path of ['/authorize', '/authorize/a', '/interaction/a', '/token', '/userinfo', '/revoke', '/jwks'])
      for (const method of ['HEAD', 'PUT'] as const)
        assert.equal(await ask(method, `/sandbox${path}`), 405, `${method} ${path}`);
    assert.equal(await ask('GET', '/sandbox/token'), 405);
    assert.equal(await ask('POST', '/sandbox/authorize'), 405);
    assert.equal(await ask('GET', '/sandbox/authorize'), 400);
    assert.equal(await ask('GET', '/sandbox/authorize/unknown'), 400);
    assert.equal(await ask('GET', '/sandbox/authorize/%21'), 400);
    assert.equal(await ask('GET', '/sandbox/interaction/unknown'), 410);
    assert.equal(await ask('POST', '/sandbox/interaction/unknown'), 400);
    assert.equal(await ask('GET', '/sandbox/userinfo'), 401);
    assert.equal(await ask('POST', '/sandbox/token'), 400);
    const { address } = await begin();
    for (const extra of [
      '&scope=a&scope=b',
      '&__proto__=1',
      '&response_mode=form_post',
      '&request=a',
      '&claims={',
      '&max_age=x',
    ]) {
      const answer = await fetch(`${address}${extra}`, { redirect: 'manual' });
      assert.ok(answer.status < 500, `${extra} gave ${answer.status}`);
    }
  });

  test('refuses what its API does not take in words of its own, and not as a problem of Patchbay', async () => {
    const { access_token } = await connect();
    const { statusCode, headers, body } = await stage.server.inject({
      ...{ method: 'POST', url: '/sandbox/api/contacts' },
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }),
    });
    assert.equal(statusCode, 413);
    assert.match(String(headers['content-type']), /^application\/json/);
    const { error, message } = JSON.parse(body);
    assert.equal(error, 'sandbox_refused');
    assert.match(message, /^The sandbox refused this\. .*1 MiB/);
  });

  test('says the same way that it has no such path, and that it wants to know how long a body is', async () => {
    const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: Readable) => {
      const headers = payload ? { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } : {};
      const asked = { method, url: `/sandbox/api/${path}`, headers };
      const { statusCode, headers: said, body } = await stage.server.inject({ ...asked, ...(payload && { payload }) });
      assert.match(String(said['content-type']), /^application\/json/, body);
      return [statusCode, JSON.parse(body).error];
    };
    assert.deepEqual(await ask('GET', 'nothing/here'), [404, 'not_found']);
    assert.deepEqual(await ask('DELETE', 'contacts'), [404, 'not_found']);
    assert.deepEqual(await ask('POST', 'contacts', Readable.from(['{}'])), [411, 'sandbox_refused']);
    assert.deepEqual(await ask('POST', 'nothing', Readable.from(['{}'])), [411, 'sandbox_refused']);
  });

  test('sends our usual headers and prints nothing', async () => {
    for (const path of ['/sandbox/jwks', '/sandbox/userinfo', '/sandbox/authorize']) {
      const { headers } = await stage.server.inject({ url: path });
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, path);
      assert.match(String(headers['x-request-id']), /^[\w-]{36}$/, path);
    }
    assert.deepEqual(printed, []);
    assert.deepEqual(lines, []);
    assert.deepEqual(
      stage.lines.filter(({ level }) => level !== 'debug'),
      [],
    );
  });
});
