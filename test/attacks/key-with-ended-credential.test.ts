import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

type Headers = Record<string, string>;

onOneEngine('a key whose sender loses access while the provider verifies it', (engine) => {
  const stage = useStage(() => openKeysStage(engine));

  /** Sends a key, and ends what it was sent with while the provider is asked. */
  const putWhile = async (headers: Headers, end: () => Promise<unknown>) => {
    let ended = false;
    stage.api.answer(async (_, response) => {
      if (!ended) await end();
      ended = true;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: '1', email: '1@a.example' }));
    });
    const reply = await stage.put(headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.mend();
    assert.ok(ended, 'The provider was not asked.');
    return reply;
  };

  const expectNothing = async (headers: Headers) => {
    const { body } = await stage.ask('GET', '/api/integrations/status', headers);
    const { integrations } = JSON.parse(body);
    const keyed = integrations.filter(({ provider }: { provider: string }) => provider === 'keyed');
    assert.deepEqual(
      keyed.map(({ status }: { status: string }) => status),
      ['disconnected'],
    );
  };

  const send = async (method: 'POST' | 'DELETE', url: string, headers: Headers, status: number) => {
    const answer = await stage.server.inject({ method, url, headers });
    assert.equal(answer.statusCode, status, answer.body);
  };

  test('is not stored if an access token was revoked', async () => {
    const { admin, member } = await stage.newTeam();
    const payload = { name: 'leaked', expiresInDays: 1 };
    const made = await stage.server.inject({ method: 'POST', url: '/api/tokens', headers: member.headers, payload });
    const { id, token } = made.json();
    const leaked = { authorization: `Bearer ${token}` };
    const { status } = await putWhile(leaked, () => send('DELETE', `/api/tokens/${id}`, admin.headers, 204));
    assert.equal(status, 401);
    await expectNothing(admin.headers);
  });

  test('is not stored if a session was ended', async () => {
    const { admin, member } = await stage.newTeam();
    const { headers, csrfToken } = await openSession(stage, member.user);
    const own = { ...headers, 'x-csrf-token': csrfToken };
    const { status } = await putWhile(own, () => send('POST', '/sign-out', { ...own, origin: 'null' }, 303));
    assert.equal(status, 401);
    await expectNothing(admin.headers);
  });

  test('is not stored if a connect session was ended', async () => {
    await putCustomer(stage, 'leaving');
    const { token } = await createConnectSession(stage, 'leaving', { user: 'ann' });
    const url = '/api/operator/teams/leaving/sessions?user=ann';
    const { status } = await putWhile({ authorization: `Bearer ${token}` }, () => send('DELETE', url, OPERATOR, 204));
    assert.equal(status, 401);
    await expectNothing(asCustomer('leaving').headers);
  });

  test('is stored if nothing was ended', async () => {
    const { admin, member } = await stage.newTeam();
    assert.equal((await putWhile(member.headers, async () => undefined)).status, 200);
    const { body } = await stage.ask('GET', '/api/integrations/status', admin.headers);
    assert.match(body, /"provider":"keyed"[^}]*"status":"connected"/);
  });
});
