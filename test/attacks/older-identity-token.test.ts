import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startIdentityProvider } from '../harness/identity-provider.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a member who was an admin for a moment', (engine) => {
  const provider = useStage(() => startIdentityProvider());
  const stage = useStage(() =>
    createTestApp(engine, { env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );
  const now = Math.floor(Date.now() / 1_000);
  const sign = (role: string, age: number) => provider.sign({ sub: 'u1', team: 't1', role, iat: now - age });
  const ask = async (token: string, url: string): Promise<number> => {
    stage.app.teams.callers.forget();
    return (await stage.server.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;
  };

  test('is none with a token that is older than one that said member', async () => {
    assert.equal(await ask(await sign('member', 400), '/api/team'), 200);
    // For a while, they were an admin, but this token wasn't used.
    const admin = await sign('admin', 300);
    const member = await sign('member', 200);
    assert.equal(await ask(member, '/api/team'), 200);
    assert.equal(await ask(member, '/api/reports/slack'), 403);
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: { authorization: `Bearer ${member}` },
      payload: { name: 'mine' },
    });
    const own = made.json().token;
    assert.equal(await ask(own, '/api/reports/slack'), 403);
    assert.equal(await ask(admin, '/api/reports/slack'), 403);
    assert.equal(await ask(own, '/api/reports/slack'), 403);
  });
});
