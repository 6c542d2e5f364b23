import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer, withoutRequestId } from '../harness/problem.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const APP = 'https://app.example.com';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

onOneEngine('the headers that name a customer', (engine) => {
  // The clock stands still, so that whoever was looked up stays cached.
  const stage = useStage(() =>
    createTestApp(engine, { env: { PATCHBAY_RETURN_ORIGINS: APP }, clock: createTestClock() }),
  );
  const team = prepare(() => stage.createTeam('acme'));

  const get = async (headers: object, url = '/api/team') =>
    toAnswer(await stage.server.inject({ url, headers: { ...headers } }));
  const putTeam = (key: string) =>
    stage.server.inject({
      method: 'PUT',
      url: `/api/operator/teams/${encodeURIComponent(key)}`,
      headers: bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN),
      payload: { name: key },
    });

  test('work with no other credential', async () => {
    await putTeam('victim');
    const session = await openSession(stage, team.admin.user);
    const others = {
      'an access token': team.admin.headers,
      'the admin token': bearer(SECRETS.PATCHBAY_ADMIN_TOKEN),
      'a session': session.headers,
    };
    for (const [what, headers] of Object.entries(others))
      for (const name of ['patchbay-team', 'patchbay-user']) {
        const answer = await get({ ...headers, [name]: 'victim' });
        assert.equal(expectProblem(answer, 400, `${what}, ${name}`).code, 'operator.header_refused');
        assert.equal((await get(headers)).status, 200, `${what} without it`);
      }
    const cron = await get(
      { ...bearer(SECRETS.CRON_SECRET), 'patchbay-team': 'victim' },
      '/api/cron/weekly-report?dryRun=1',
    );
    assert.equal(expectProblem(cron, 400, 'the cron secret').code, 'operator.header_refused');
  });

  test('say nothing to someone without a valid credential', async () => {
    for (const headers of [{}, bearer('x'.repeat(40)), bearer(`${SECRETS.PATCHBAY_OPERATOR_TOKEN}x`)])
      for (const key of ['victim', 'nobody'])
        expectProblem(await get({ ...headers, 'patchbay-team': key }), 401, JSON.stringify(headers));
  });

  test('are required with the operator token, which is nobody by itself', async () => {
    const operator = bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN);
    const codes: string[] = [];
    for (const headers of [{}, { 'patchbay-user': 'u1' }, { 'patchbay-team': '' }])
      codes.push(expectProblem(await get({ ...operator, ...headers }), 400, JSON.stringify(headers)).code);
    assert.deepEqual(codes, ['operator.team_missing', 'operator.team_missing', 'operator.team_missing']);
  });

  test('name a user or none: an empty key is not the operator itself', async () => {
    const operator = { ...bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN), 'patchbay-team': 'victim' };
    assert.equal((await get(operator)).status, 200);
    for (const user of ['', ' ', 'a b', 'x'.repeat(201)]) {
      const answer = await get({ ...operator, 'patchbay-user': user });
      assert.equal(expectProblem(answer, 400, JSON.stringify(user)).code, 'operator.key_invalid');
    }
  });

  test('name exactly one team', async () => {
    await putTeam('Case');
    const operator = bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN);
    for (const key of ['case', 'CASE', 'Case,Case', '%43ase', 'Case%00', team.team.id, 'Ｃase', 'x'.repeat(201)]) {
      const answer = await get({ ...operator, 'patchbay-team': key });
      assert.equal(expectProblem(answer, 404, key).code, 'operator.team_unknown');
    }
  });

  test('name a team and a user separately, also while both are cached', async () => {
    await putTeam('acme-1');
    const operator = bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN);
    const keys = ['acme-1 bob', 'acme-1","bob', '["acme-1","bob"]', 'operator acme-1'];
    for (const user of ['bob', null]) {
      const both = { ...operator, 'patchbay-team': 'acme-1', ...(user !== null && { 'patchbay-user': user }) };
      assert.equal((await get(both)).status, 200);
      for (const key of keys) {
        const answer = await get({ ...operator, 'patchbay-team': key });
        assert.equal(expectProblem(answer, 404, key).code, 'operator.team_unknown');
      }
      for (const key of ['operator', 'operator["acme-1","bob"]', '["acme-1","bob"]', '["acme-1",null]'])
        expectProblem(await get(bearer(key)), 401, key);
    }
  });

  test('open no page, because pages are for people', async () => {
    const headers = { ...bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN), 'patchbay-team': 'victim', accept: 'text/html' };
    assert.equal((await get(headers, '/settings/members')).status, 303);
  });

  test('are not allowed for pages of other origins', async () => {
    const headers = {
      ...{ origin: APP, 'access-control-request-method': 'GET' },
      'access-control-request-headers': 'authorization, patchbay-team, patchbay-user',
    };
    const preflight = await stage.server.inject({ method: 'OPTIONS', url: '/api/team', headers });
    assert.equal(preflight.headers['access-control-allow-origin'], APP);
    assert.doesNotMatch(String(preflight.headers['access-control-allow-headers']), /patchbay-(?:team|user)|\*/i);
  });

  test('do not make the operator an admin elsewhere: its routes refuse every other credential', async () => {
    for (const headers of [team.admin.headers, bearer(SECRETS.PATCHBAY_ADMIN_TOKEN), bearer(SECRETS.CRON_SECRET)])
      expectProblem(await get(headers, '/api/operator/teams'), 401, JSON.stringify(headers));
  });
});

onOneEngine('without an operator token', (engine) => {
  const stage = useStage(() => createTestApp(engine, { env: { PATCHBAY_OPERATOR_TOKEN: '' } }));

  test('the operator routes look like unknown paths', async () => {
    const headers = bearer(SECRETS.PATCHBAY_OPERATOR_TOKEN);
    const unknown = toAnswer(await stage.server.inject({ url: '/api/nothing/here', headers }));
    for (const url of ['/api/operator/teams', '/api/operator/teams/x'])
      assert.deepEqual(
        withoutRequestId(toAnswer(await stage.server.inject({ url, headers }))),
        withoutRequestId(unknown),
        url,
      );
  });

  test('an empty token and "undefined" act for nobody', async () => {
    for (const token of ['', 'undefined', 'null'])
      expectProblem(
        toAnswer(
          await stage.server.inject({
            url: '/api/team',
            headers: { authorization: `Bearer ${token}`, 'patchbay-team': 'x' },
          }),
        ),
        401,
        token,
      );
  });
});
