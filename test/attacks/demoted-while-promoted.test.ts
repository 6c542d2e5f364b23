// Attack: a token says that a person is a member. While it is looked at, an older one makes them an admin, who hands out
// links. What came from those must end with the role.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { startIdentityProvider } from '../harness/identity-provider.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a person who is demoted by a token that was read before they were promoted', (engine) => {
  const provider = useStage(() => startIdentityProvider());
  const stage = useStage(() =>
    createTestApp(engine, { env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );
  const now = Math.floor(Date.now() / 1_000);
  const sign = (role: string, age: number) => provider.sign({ sub: 'maker', team: 't1', role, iat: now - age });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  test('leaves nothing of the links that they made in between', async () => {
    const { app, server } = stage;
    const ask = async (token: string) => (await server.inject({ url: '/api/team', headers: as(token) })).statusCode;
    assert.equal(await ask(await sign('member', 300)), 200);
    const [promoting, demoting] = [await sign('admin', 120), await sign('member', 60)];
    const held = holdAnswer(app.database, 'get', 'claims_issued_at as "claimsIssuedAt"');
    const demoted = ask(demoting);
    await held.answered;
    const invited = await server.inject({
      ...{ method: 'POST', url: '/api/members', headers: as(promoting) },
      payload: { email: 'accomplice@example.com', role: 'admin' },
    });
    assert.equal(invited.statusCode, 201, invited.body);
    const signedIn = await server.inject({ method: 'POST', url: new URL(invited.json().signInLink).pathname });
    const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
    held.release();
    assert.equal(await demoted, 200);
    const rows = await app.database.all<{ role: string }>("select role from users where subject = 'maker'");
    assert.equal(rows[0]?.role, 'member');
    assert.equal((await server.inject({ url: '/api/team', headers: { cookie } })).statusCode, 401);
  });
});
