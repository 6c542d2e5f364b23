import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, expectConnected, expectRefused, startConnectStage, withParams } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const CALLBACK = '/api/integrations/github/callback';
const SCRIPT = '<script>alert(document.domain)</script>';

onOneEngine('a malformed callback', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const comeBack = async (payload: object = {}) => {
    const begun = await flow.begin(team.member, 'github', payload);
    return { ...begun, back: flow.consent(begun.authorizationUrl) };
  };

  const countAttempts = async () =>
    Number((await flow.stage.app.database.get<{ n: number }>('select count(*) as n from connect_attempts'))?.n);

  test('is refused without a code or state, or with an empty one, and uses nothing up', async () => {
    const { back, cookie, state } = await comeBack();
    const before = flow.exchanges();
    const attempts = await countAttempts();
    const broken: [string, string][] = [
      [CALLBACK, 'state_missing'],
      [`${CALLBACK}?`, 'state_missing'],
      [`${CALLBACK}?&&=&`, 'state_missing'],
      [withParams(back, { state: null }), 'state_missing'],
      [withParams(back, { state: '' }), 'state_missing'],
      [withParams(back, { code: null }), 'callback_malformed'],
      [withParams(back, { code: '' }), 'callback_malformed'],
      [`${CALLBACK}?state=${state}#code=x`, 'callback_malformed'],
    ];
    for (const [path, code] of broken)
      expectRefused(await flow.arrive(path, { cookie }), 400, `integrations.${code}`, path.slice(0, 80));
    assert.equal(flow.exchanges(), before);
    assert.equal(await countAttempts(), attempts);
    expectConnected(await flow.arrive(back, { cookie }));
  });

  test('is refused if any parameter appears twice, wherever it appears', async () => {
    const { back, cookie, state } = await comeBack();
    const before = flow.exchanges();
    const code = new URL(back, 'http://localhost').searchParams.get('code') ?? '';
    const twice = [
      'code=other',
      `code=${code}`,
      'state=other',
      `state=${state}`,
      'error=a&error=b',
      'x=1&x=1',
      'co%64e=x',
    ];
    for (const more of twice)
      for (const path of [`${back}&${more}`, back.replace('?', `?${more}&`)])
        expectRefused(await flow.arrive(path, { cookie }), 400, 'integrations.callback_malformed', more);
    assert.equal(flow.exchanges(), before);
    expectConnected(await flow.arrive(back, { cookie }));
  });

  test('is refused with a list or an object where text belongs', async () => {
    const { state, cookie } = await comeBack();
    const before = flow.exchanges();
    for (const query of [`code[]=x&state=${state}`, `code=x&state[]=${state}`, `code[a]=x&state=${state}`])
      assert.equal((await flow.arrive(`${CALLBACK}?${query}`, { cookie })).statusCode, 400, query);
    assert.equal(flow.exchanges(), before);
  });

  test('is refused unread if its code or state has 100 kB', async () => {
    const { back, cookie } = await comeBack();
    const before = flow.exchanges();
    for (const name of ['code', 'state', 'error', 'x']) {
      const answer = await flow.arrive(withParams(back, { [name]: 'a'.repeat(100_000) }), { cookie });
      expectProblem(toAnswer(answer), 414, name);
    }
    const long = await flow.arrive(withParams(back, { code: 'a'.repeat(6_001) }), { cookie });
    expectRefused(long, 400, 'integrations.callback_malformed');
    assert.equal(flow.exchanges(), before);
    expectConnected(await flow.arrive(back, { cookie }));
  });

  test('gets a problem response, not a failure, if its bytes are not valid text', async () => {
    const { back, cookie, state } = await comeBack();
    const before = flow.exchanges();
    for (const text of ['%00', '%', '%zz', '%ff%fe', '%c0%ae', '%ed%a0%80', '%F0%9F'])
      for (const path of [
        `${CALLBACK}?code=${text}&state=${text}`,
        `${CALLBACK}?state=${text}&code=x`,
        `${back}&x=%00`,
      ])
        assert.equal((await flow.arrive(path, { cookie })).statusCode, 400, path);
    const unpaired = await flow.arrive(`${CALLBACK}?code=a%00b&state=${state}`, { cookie });
    assert.equal(unpaired.statusCode, 400, unpaired.body);
    assert.equal(flow.exchanges(), before);
  });

  test('reports once that the person declined, and makes no token request', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const back = flow.consent(authorizationUrl, { deny: true });
    const before = flow.exchanges();
    expectRefused(await flow.arrive(back, { cookie }), 403, 'integrations.access_denied');
    expectRefused(await flow.arrive(back, { cookie }), 403, 'integrations.access_denied', 'again');
    expectRefused(await flow.arrive(back), 409, 'integrations.state_used');
    assert.equal(flow.exchanges(), before);
  });

  test('with both an error and a code is an error, and the code is not spent', async () => {
    const { back, cookie } = await comeBack();
    const before = flow.exchanges();
    const answer = await flow.arrive(`${back}&error=server_error`, { cookie });
    expectRefused(answer, 400, 'integrations.provider_refused');
    expectRefused(await flow.arrive(back, { cookie }), 400, 'integrations.provider_refused', 'the code alone, later');
    assert.equal(flow.exchanges(), before);
  });

  test('with an error and a foreign state is refused for the state', async () => {
    const attempts = await countAttempts();
    const { state } = await comeBack();
    for (const [text, code] of [
      ['', 'state_missing'],
      ['forged', 'state_invalid'],
      [`${state.slice(0, -4)}AAAA`, 'state_invalid'],
    ] as const) {
      const path = withParams(CALLBACK, { error: 'access_denied', state: text });
      expectRefused(await flow.arrive(path), 400, `integrations.${code}`);
    }
    assert.equal(await countAttempts(), attempts);
  });

  test('never shows what the provider or an attacker wrote, whether as a page, as JSON or in an address', async () => {
    const words = { error: SCRIPT, error_description: SCRIPT, error_uri: 'https://evil.example/', iss: SCRIPT };
    const variants = [words, { ...words, error: 'access_denied' }, { error: 'x"onload=alert(1)//' }];
    for (const returnTo of [null, '/done'])
      for (const variant of variants)
        for (const accept of [BROWSER, {}]) {
          const { state, cookie } = await flow.begin(team.member, 'github', returnTo ? { returnTo } : {});
          const answer = await flow.arrive(withParams(CALLBACK, { ...variant, state }), { ...accept, cookie });
          const shown = decodeURIComponent(`${answer.body} ${answer.headers.location ?? ''}`);
          assert.doesNotMatch(shown, /alert\(|evil\.example|onload|error_description/);
          assert.ok(answer.statusCode < 500, answer.body);
        }
    const unknown = await flow.arrive(
      `${CALLBACK}?state=${SCRIPT}&code=${SCRIPT}&error_description=${SCRIPT}`,
      BROWSER,
    );
    assert.equal(unknown.statusCode, 400);
    assert.doesNotMatch(unknown.body, /alert\(/);
  });

  test('gets 405 for HEAD, POST and other methods and uses nothing up, so link previews are harmless', async () => {
    const { back, cookie } = await comeBack();
    const before = flow.exchanges();
    const attempts = await countAttempts();
    for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
      for (const accept of [BROWSER, { accept: 'application/json' }]) {
        const headers = { ...team.member.headers, ...accept, cookie };
        const answer = await flow.stage.server.inject({ method, url: back, headers });
        assert.equal(answer.statusCode, 405, `${method}: ${answer.body}`);
        assert.equal(answer.headers.allow, 'GET');
      }
    const form = await flow.stage.server.inject({
      method: 'POST',
      url: CALLBACK,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: back.slice(back.indexOf('?') + 1),
    });
    assert.equal(form.statusCode, 405);
    assert.equal(flow.exchanges(), before);
    assert.equal(await countAttempts(), attempts);
    expectConnected(await flow.arrive(back, { cookie }));
  });

  test('is answered in the requested form: JSON for a program, a page or redirect for a browser', async () => {
    const forms: [string, 'json' | 'page'][] = [
      ['application/json', 'json'],
      ['application/json, text/plain, */*', 'json'],
      ['application/json;charset=utf-8', 'json'],
      ['text/html', 'page'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'page'],
      ['*/*', 'page'],
      ['', 'page'],
    ];
    for (const returnTo of [null, '/done'])
      for (const [accept, form] of forms) {
        const { back, cookie } = await comeBack(returnTo ? { returnTo } : {});
        const answer = await flow.stage.server.inject({ url: back, headers: { cookie, accept } });
        const what = `${accept} with returnTo ${returnTo}: ${answer.statusCode} ${answer.body.slice(0, 100)}`;
        if (form === 'json') assert.match(answer.body, /"outcome":"connected"/, what);
        else assert.equal(answer.statusCode, returnTo ? 303 : 200, what);
        if (form === 'page' && !returnTo) assert.match(String(answer.headers['content-type']), /^text\/html/, what);
      }
  });

  test('is answered in JSON however the program capitalizes the type', async () => {
    const { back, cookie } = await comeBack();
    const answer = await flow.arrive(back, { cookie, accept: 'Application/JSON' });
    assert.match(String(answer.headers['content-type']), /^application\/json/);
  });

  test('gets 404 for an unknown provider', async () => {
    const { back, cookie } = await comeBack();
    for (const id of ['nobody', '__proto__', 'constructor', 'GitHub', 'git%68ub%2f', '..%2fgithub']) {
      const answer = await flow.arrive(back.replace('/github/', `/${id}/`), { cookie });
      assert.equal(answer.statusCode, 404, id);
    }
  });
});
