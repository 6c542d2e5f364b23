import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BROWSER, expectRefused, JSON_ONLY, startConnectStage } from '../harness/connect-flow.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const CONNECT = '/api/integrations/github/connect';

describe('a connect link that someone else put in front of a person', () => {
  const flow = useStage(() => startConnectStage('sqlite'));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const session = prepare(() => openSession(flow.stage, team.member.user));

  const navigate = (url: string, headers: Record<string, string> = {}) =>
    flow.get(url, { ...BROWSER, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', ...headers });

  test('asks first on another site: no redirect, no cookie, no framing', async () => {
    for (const mode of ['navigate', 'no-cors', 'cors']) {
      const address = `${CONNECT}?scopes=repo&returnTo=%2Fdone`;
      const answer = await navigate(address, {
        ...session.headers,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': mode,
      });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers.location, undefined);
      assert.equal(answer.headers['set-cookie'], undefined);
      assert.equal(answer.headers.refresh, undefined);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.doesNotMatch(answer.body, /github\.com\/login|http-equiv|<script/i);
      assert.match(
        answer.body,
        /href="\/api\/integrations\/github\/connect\?scopes=repo&amp;returnTo=%2Fdone&amp;team=[\w-]+"/,
      );
      assert.match(answer.body, /acme/);
    }
  });

  test('asks first on another site even if the request does not ask for a page', async () => {
    for (const accept of ['*/*', 'application/json', 'image/avif,image/webp,*/*;q=0.8']) {
      const answer = await navigate(CONNECT, { ...session.headers, 'sec-fetch-site': 'cross-site', accept });
      assert.equal(answer.headers.location, undefined, accept);
      assert.equal(answer.headers['set-cookie'], undefined, accept);
    }
  });

  test('cannot inject anything into the confirmation page', async () => {
    const address = `${CONNECT}?returnTo=%2F%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E&scopes="><script>alert(2)</script>`;
    const answer = await navigate(address, { ...session.headers, 'sec-fetch-site': 'cross-site' });
    assert.doesNotMatch(answer.body, /<script/);
    assert.doesNotMatch(answer.body, /href="[^"]*"[^>]*alert/);
  });

  test('goes through from our own pages, and when typed into the address bar', async () => {
    for (const site of ['same-origin', 'none']) {
      const answer = await navigate(CONNECT, { ...session.headers, 'sec-fetch-site': site });
      assert.equal(answer.statusCode, 302, site);
      assert.match(String(answer.headers.location), /^https:\/\/github\.com\/login\/oauth\/authorize\?/);
      assert.match(String(answer.headers['set-cookie']), /^patchbay_connect=/);
    }
  });

  test('goes through for a program with an access token, which no other site has', async () => {
    const answer = await navigate(CONNECT, { ...team.member.headers, 'sec-fetch-site': 'cross-site' });
    assert.equal(answer.statusCode, 302);
  });

  test("leads a stranger's browser to sign in, with everything it asked for to come back to", async () => {
    const address = `${CONNECT}?scopes=a+b&returnTo=%2Fdone%3Fx%3D1&params.x=%2F%2Fevil`;
    const asking = address.replace(CONNECT, '/integrations/github/begin');
    for (const headers of [{}, { cookie: 'patchbay_session=forged' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await navigate(address, headers);
      assert.equal(answer.statusCode, 303);
      assert.equal(answer.headers.location, `/sign-in?returnTo=${encodeURIComponent(asking)}`);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });

  test("is 401 for a stranger's program, and names what is wanted", async () => {
    const credentials = [
      {},
      { authorization: 'Bearer undefined' },
      { authorization: 'Bearer ' },
      { authorization: 'Basic eA==' },
    ];
    for (const headers of credentials)
      for (const accept of [JSON_ONLY, { accept: '*/*' }]) {
        const answer = await flow.get(CONNECT, { ...accept, ...headers });
        assert.equal(expectRefused(answer, 401, 'http.unauthorized').status, 401);
        assert.match(String(answer.headers['www-authenticate']), /^Bearer/);
      }
  });

  test('does not accept a token in the address', async () => {
    for (const name of ['access_token', 'token', 'authorization', 'bearer'])
      assert.notEqual((await flow.get(`${CONNECT}?${name}=${team.member.token}`, JSON_ONLY)).statusCode, 302, name);
  });

  test('is not followed by HEAD', async () => {
    const answer = await flow.stage.server.inject({ method: 'HEAD', url: CONNECT, headers: session.headers });
    assert.equal(answer.statusCode, 405);
  });
});
