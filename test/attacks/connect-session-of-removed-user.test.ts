import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a connect session whose user was removed', (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  const remove = async (url: string, headers: Record<string, string>) => {
    const { statusCode } = await flow.stage.server.inject({ method: 'DELETE', url, headers });
    assert.equal(statusCode, 204);
  };

  for (const [by, { team, removeUser }] of Object.entries({
    'a member of the team': {
      team: 'acme',
      removeUser: (id: string) => remove(`/api/members/${id}`, asCustomer('acme').headers),
    },
    'the operator': {
      team: 'other',
      removeUser: () => remove('/api/operator/teams/other/users/leaving', OPERATOR),
    },
  }))
    test(`works no more once ${by} has removed the user, and neither does anything that it began`, async () => {
      await putCustomer(flow.stage, team);
      const session = await createConnectSession(flow.stage, team, { user: 'leaving' });
      const { authorizationUrl, connectUrl, cookie } = await flow.begin(session);
      const parked = expectParked(await flow.arrive(flow.consent((await flow.begin(session)).authorizationUrl)));
      assert.equal((await flow.get(session.page)).statusCode, 200);
      await removeUser(session.user.id);

      const before = flow.exchanges();
      expectRefused(await flow.get('/api/integrations/status', session.headers), 401, 'http.unauthorized');
      expectRefused(await flow.complete(session, parked), 401, 'http.unauthorized');
      expectRefused(await flow.complete(asCustomer(team, 'leaving'), parked), 409, 'operator.user_removed');
      const { pathname, search } = new URL(connectUrl);
      assert.equal((await flow.get(`${pathname}${search}`)).statusCode, 410);
      assert.notEqual((await flow.arrive(flow.consent(authorizationUrl), { cookie })).statusCode, 200);
      assert.equal((await flow.get(session.page)).statusCode, 410);
      assert.equal(flow.exchanges(), before);
    });

  test('works no more if the operator removed them, and neither do requests in their name', async () => {
    await putCustomer(flow.stage, 'leaving');
    const session = await createConnectSession(flow.stage, 'leaving', { user: 'leaving' });
    const url = '/api/operator/teams/leaving/users/leaving';
    const change = async (method: 'PUT' | 'DELETE', payload?: object) =>
      (await flow.stage.server.inject({ method, url, headers: OPERATOR, ...(payload && { payload }) })).statusCode;
    const askBoth = async () => {
      const answers = [session, asCustomer('leaving', 'leaving')].map(({ headers }) =>
        flow.get('/api/integrations/status', headers),
      );
      return (await Promise.all(answers)).map(({ statusCode }) => statusCode);
    };
    assert.deepEqual(await askBoth(), [200, 200]);
    assert.equal(await change('DELETE'), 204);
    assert.deepEqual(await askBoth(), [401, 409]);
    assert.equal(await change('PUT', {}), 200);
    assert.deepEqual(await askBoth(), [401, 200], 'The user is back, and the session is not.');
  });

  test('cannot be created again', async () => {
    await putCustomer(flow.stage, 'again');
    const { user } = await createConnectSession(flow.stage, 'again', { user: 'gone' });
    await remove(`/api/members/${user.id}`, asCustomer('again').headers);
    const url = '/api/operator/teams/again/sessions';
    const payload = { user: { key: 'gone' } };
    expectRefused(
      await flow.stage.server.inject({ method: 'POST', url, headers: OPERATOR, payload }),
      409,
      'operator.user_removed',
    );
  });
});
