import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { startIdentityProvider } from '../harness/identity-provider.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a member who was an admin for a moment', (engine) => {
  const provider = useStage(() => startIdentityProvider());
  const stage = useStage(() =>
    createTestApp(engine, { env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );
  const now = Math.floor(Date.now() / 1_000);
  const sign = (role: string, age: number, sub = 'u1') => provider.sign({ sub, team: 't1', role, iat: now - age });
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

  test('is none if the older token is overtaken by the one that said member', async () => {
    const first = await sign('member', 400, 'u2');
    const made = await stage.server.inject({
      ...{ method: 'POST', url: '/api/tokens', payload: { name: 'mine' } },
      headers: { authorization: `Bearer ${first}` },
    });
    const [admin, member] = [await sign('admin', 300, 'u2'), await sign('member', 200, 'u2')];
    const lookUp = holdAnswer(stage.app.database, 'get', 'claims_issued_at as');
    const overtaken = ask(admin, '/api/team');
    await lookUp.answered;
    await ask(member, '/api/team').finally(lookUp.release);
    assert.equal(await overtaken, 200);
    assert.equal(await ask(made.json().token, '/api/reports/slack'), 403);
  });
});
