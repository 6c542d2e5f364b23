import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { expectConnected, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine("a request to connect or disconnect that rides on a person's session", (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const session = prepare(() => openSession(flow.stage, team.member.user));
  const admins = prepare(() => openSession(flow.stage, team.admin.user));

  before(async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
  });

  test('is refused without the CSRF token, or with another session’s', async () => {
    for (const path of ['github/connect', 'github/disconnect', 'github/complete', 'github/token'])
      for (const more of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': session.csrfToken }]) {
        const answer = await flow.post(path, { ...admins.headers, ...more }, {});
        expectRefused(answer, 403, 'http.csrf', path);
        assert.equal(answer.headers['set-cookie'], undefined);
      }
    assert.equal(await flow.statusOf(team.member), 'connected');
    assert.equal(flow.simulator.requestsOf('github', 'revoke').length, 0);
  });

  test('is refused as a form from another site, whatever its content type', async () => {
    for (const path of ['github/connect', 'github/disconnect', 'github/complete'])
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=b']) {
        const answer = await flow.stage.server.inject({
          method: 'POST',
          url: `/api/integrations/${path}`,
          headers: {
            ...session.headers,
            'content-type': type,
            origin: 'https://evil.example',
            'sec-fetch-site': 'cross-site',
          },
          payload: 'a=b',
        });
        assert.ok([403, 415].includes(answer.statusCode), `${path} ${type}: ${answer.statusCode}`);
      }
    assert.equal(await flow.statusOf(team.member), 'connected');
  });

  test('is refused for the team’s credentials', async () => {
    for (const method of ['PUT', 'DELETE'] as const) {
      const answer = await flow.stage.server.inject({
        method,
        url: '/api/integrations/github/credentials',
        headers: admins.headers,
        payload: { clientId: 'of-the-attacker', clientSecret: 'of-the-attacker' },
      });
      expectRefused(answer, 403, 'http.csrf', method);
    }
    assert.deepEqual(await flow.stage.app.database.all('select * from provider_credentials'), []);
  });

  test('is allowed with the token', async () => {
    const headers = { ...session.headers, 'x-csrf-token': session.csrfToken };
    assert.equal((await flow.post('github/connect', headers)).statusCode, 200);
    assert.equal((await flow.post('github/disconnect', headers)).json().revocation, 'revoked');
  });
});
