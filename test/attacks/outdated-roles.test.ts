import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startIdentityProvider } from '../harness/identity-provider.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a token from before its user was demoted', (engine) => {
  const provider = useStage(() => startIdentityProvider());
  const stage = useStage(() =>
    createTestApp(engine, { env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );
  const now = Math.floor(Date.now() / 1_000);

  const sign = (sub: string, role: string, age: number, more = {}): Promise<string> =>
    provider.sign({ sub, team: 't1', role, iat: now - age, ...more });

  const ask = async (token: string, url: string): Promise<number> => {
    stage.app.teams.callers.forget();
    return (await stage.server.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;
  };
  const asAdmin = (token: string): Promise<number> => ask(token, '/api/reports/slack');
  const asMember = (token: string): Promise<number> => ask(token, '/api/team');

  const makeAccessToken = async (token: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const made = await stage.server.inject({ method: 'POST', url: '/api/tokens', headers, payload: { name: 'mine' } });
    assert.equal(made.statusCode, 201, made.body);
    return made.json().token;
  };

  for (const [when, age] of [
    ['a minute', 60],
    ['less than a second', 0],
  ] as const)
    test(`${when} before: makes nobody an admin again`, async () => {
      const sub = `demoted ${age}`;
      const older = await sign(sub, 'admin', 120 + age, { name: 'Old' });
      const own = await makeAccessToken(older);
      assert.equal(await asAdmin(own), 200);
      assert.equal(await asMember(await sign(sub, 'member', 120)), 200);
      assert.equal(await asAdmin(own), 403);
      assert.equal(await asAdmin(older), 403, 'the older token itself');
      assert.equal(await asMember(older), 200);
      assert.equal(await asAdmin(own), 403, 'an access token after it');
      assert.equal(await asAdmin(await sign(sub, 'admin', 60)), 200, 'promoted again');
      assert.equal(await asAdmin(own), 200);
    });

  test('leaves nothing of the sign-in links that its user made as an admin', async () => {
    const headers = { authorization: `Bearer ${await sign('maker', 'admin', 120)}` };
    const payload = { email: 'colleague@example.com', role: 'admin' };
    const invited = await stage.server.inject({ method: 'POST', url: '/api/members', headers, payload });
    const url = new URL(invited.json().signInLink).pathname;
    const signedIn = await stage.server.inject({ method: 'POST', url });
    const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
    const askThere = async () => (await stage.server.inject({ url: '/api/team', headers: { cookie } })).statusCode;
    assert.equal(await askThere(), 200);
    assert.equal(await asMember(await sign('maker', 'member', 60)), 200);
    assert.equal(await askThere(), 401);
  });

  test('gives no more than it says after its user was promoted', async () => {
    const older = await sign('promoted', 'member', 120);
    const newer = await sign('promoted', 'admin', 60);
    assert.equal(await asAdmin(newer), 200);
    assert.equal(await asAdmin(older), 403);
    assert.equal(await asAdmin(await makeAccessToken(newer)), 200);
  });

  test('is not mistaken for one because the clock of the provider was ahead', async () => {
    const sub = 'ahead';
    assert.equal(await asMember(await sign(sub, 'member', -1_000_000)), 200);
    const later = Math.floor(stage.app.clock.now() / 1_000) + 1;
    assert.equal(await asAdmin(await provider.sign({ sub, team: 't1', role: 'admin', iat: later })), 200);
  });
});
