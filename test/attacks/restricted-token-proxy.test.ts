import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';
const EVERY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

onOneEngine('a restricted token at the proxy', (engine) => {
  const stage = useStage(() => openProxyStage(engine));
  const proxied = (path: string): string => stage.proxied(path);
  beforeEach(() => stage.api.reset());

  /** A connected team, and a token of its admin's that may send only these requests. */
  const allowing = async (...allow: Record<string, unknown>[]) => {
    const team = await stage.connected();
    const own = allow.map((one) => ({ provider: PROVIDER, ...one }));
    return { ...team, token: await makeToken(stage.server, team.admin.headers, { allow: own }) };
  };

  const refuses = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<void> => {
    const answer = await stage.call(path, { method, headers });
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.body}`);
    if (method !== 'HEAD') assert.equal(problemIn(answer), 'tokens.not_allowed', `${method} ${path}`);
    assert.equal(stage.api.received.length, 0, `${method} ${path} was sent`);
  };

  const accepts = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<void> => {
    const answer = await stage.call(path, { method, headers });
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.body}`);
    assert.equal(stage.api.received.length, 1, `${method} ${path}`);
    stage.api.reset();
  };

  test('sends what reads, and nothing else, if no methods are listed', async () => {
    const { token } = await allowing({});
    await accepts(proxied('user'), token);
    await accepts(proxied('a//b;c/d%2Fe'), token);
    await accepts(proxied('user'), token, 'HEAD');
    for (const method of EVERY_METHOD.slice(2)) await refuses(proxied('user'), token, method);
  });

  test('sends only to the listed paths, however another one is written', async () => {
    const { token } = await allowing({ methods: EVERY_METHOD, paths: ['/repos/*/*/issues', '/user'] });
    await accepts(proxied('repos/acme/site/issues'), token);
    await accepts(proxied('user?page=2'), token, 'POST');
    const others = [
      '',
      'User',
      'user/',
      'user%2Fkeys',
      'us%65r',
      'user;x',
      'repos/acme/site/issues/7',
      'repos/acme//issues',
    ];
    const hidden = ['repos/a%2Fb/issues', 'repos/a/b%2Fissues', 'repos/a/b%252Fc/issues', 'repos/a/b%3Fc/issues'];
    for (const path of [...others, ...hidden]) await refuses(proxied(path), token);
    for (const path of ['repos/a/b%5Cc/issues', 'repos/a/../issues', 'repos/a/%2e%2e/issues', '/user'])
      assert.equal((await stage.call(proxied(path), { headers: token })).status, 400, path);
    assert.equal(stage.api.received.length, 0);
  });

  test('sends nothing that a server may read as another method or path', async () => {
    const { token } = await allowing({ paths: ['/user'] });
    const names = [
      'X-HTTP-Method-Override',
      'X-HTTP-Method',
      'X-Method-Override',
      'x_http_method_override',
      'X-Original-URL',
      'X-Rewrite-URL',
    ];
    for (const name of names) await refuses(proxied('user'), { ...token, [name]: 'DELETE' });
    const fields = [
      '_method=DELETE',
      '_Method=x',
      '%5Fmethod=DELETE',
      '_HttpMethod=PUT',
      'x-http-method-override=PATCH',
    ];
    for (const field of [...fields, 'method=delete', 'a=1&$method=POST', 'httpMethod=PUT', 'a;_method=DELETE'])
      await refuses(proxied(`user?${field}`), token);
    for (const field of ['method=flickr.photos.search', 'payment_method=card', 'verbose=1'])
      await accepts(proxied(`user?${field}`), token);
  });

  test('sends only to the listed host, in whatever way another one is named', async () => {
    const { token } = await allowing({});
    await refuses(proxied('user'), { ...token, 'Patchbay-Host': 'uploads' });
    await refuses(proxied('user?patchbay-host=uploads'), token);
    await refuses(proxied('user?Patchbay-Host=uploads&patchbay-host=uploads'), token);
    const { token: other } = await allowing({ host: 'uploads' });
    await accepts(proxied('file'), { ...other, 'Patchbay-Host': 'uploads' });
    await refuses(proxied('file'), other);
    await refuses(proxied('file?patchbay-host='), { ...other, 'Patchbay-Host': 'uploads' });
  });

  test('uses only the listed connection and provider', async () => {
    const { token, at } = await allowing({ connection: 'default' });
    await at.connect(PROVIDER, stage.newAccount(), { connection: 'second' });
    await accepts(proxied('user'), token);
    await accepts(proxied('user?connection=default'), token);
    await refuses(proxied('user?connection=second'), token);
    await refuses('/api/integrations/acme/proxy/user', token);
    await refuses('/api/integrations/acme/proxy/user?connection=default', token);
  });

  test('does not use the only connection there is if another one is listed', async () => {
    const { token, at, admin } = await allowing({ connection: 'default' });
    await at.connect(PROVIDER, stage.newAccount(), { connection: 'second' });
    assert.equal(await at.disconnect(PROVIDER, 'default'), 'revoked');
    stage.clock.advance(1_000);
    const answer = await stage.call(proxied('user'), { headers: token });
    assert.deepEqual([answer.status, problemIn(answer)], [409, 'integrations.not_connected']);
    assert.equal(stage.api.received.length, 0);
    await accepts(proxied('user'), admin.headers);
  });

  test('stops when another account has taken the place of the one it was made for', async () => {
    const { token, at, admin } = await allowing({ connection: 'default' });
    const anyAccount = await makeToken(stage.server, admin.headers, { allow: [{ provider: PROVIDER }] });
    await accepts(proxied('user'), token);
    await at.connect(PROVIDER, stage.newAccount());
    stage.clock.advance(1_000);
    await refuses(proxied('user'), token);
    await accepts(proxied('user'), anyAccount);
  });

  test('goes on when the same account was disconnected and connected again', async () => {
    const team = await stage.newTeam();
    const account = stage.newAccount();
    await team.at.connect(PROVIDER, account);
    const allow = [{ provider: PROVIDER, connection: 'default' }];
    const token = await makeToken(stage.server, team.admin.headers, { allow });
    await team.at.disconnect(PROVIDER);
    await team.at.connect(PROVIDER, account);
    stage.clock.advance(1_000);
    await accepts(proxied('user'), token);
  });

  test('has no more than its maker has now, and ends with them', async () => {
    const { admin, member, token } = await allowing({});
    const change = (role: string) =>
      stage.server.inject({
        method: 'PATCH',
        url: `/api/members/${member.user.id}`,
        headers: admin.headers,
        payload: { role },
      });
    assert.equal((await change('admin')).statusCode, 200);
    const theirs = await makeToken(stage.server, member.headers, { can: ['status'], allow: [{ provider: PROVIDER }] });
    await accepts(proxied('user'), theirs);
    assert.equal((await change('member')).statusCode, 200);
    const demoted = await stage.call(proxied('user'), { headers: theirs });
    assert.deepEqual([demoted.status, problemIn(demoted)], [403, 'http.admin_only']);
    assert.equal((await stage.call('/api/team', { headers: theirs })).status, 200);
    const gone = { method: 'DELETE', url: `/api/members/${member.user.id}`, headers: admin.headers } as const;
    assert.equal((await stage.server.inject(gone)).statusCode, 204);
    assert.equal((await stage.call('/api/team', { headers: theirs })).status, 401);
    await accepts(proxied('user'), token);
  });
});
