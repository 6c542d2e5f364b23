import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp, createTestClock, SECRETS, type TestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { makeLinkPath, openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1024 * 1024;

/** What an operation's refusal says it requires. */
const WANTED: Record<string, RegExp> = {
  accessToken: /access token .*session/,
  cron: /operator's cron secret/,
  debug: /operator's debug secret/,
  metrics: /operator's metrics secret/,
  operator: /the operator token/,
};

type Door = 'cron' | 'debug' | 'metrics' | 'operator';
const DOOR_SECRETS: Record<Door, string> = {
  cron: SECRETS.CRON_SECRET,
  debug: SECRETS.DEBUG_TOKEN,
  metrics: SECRETS.METRICS_TOKEN,
  operator: SECRETS.PATCHBAY_OPERATOR_TOKEN,
};

type Attempt = { headers?: Record<string, string>; query?: string };

onOneEngine('a stranger', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));
  let operations: Operation[];
  let team: Awaited<ReturnType<TestApp['createTeam']>>;

  before(async () => {
    operations = (await readOperations(stage.server)).operations.filter(({ wants }) => wants !== null);
    team = await stage.createTeam('strangers');
    assert.ok(operations.length > 10, 'The document names operations.');
  });

  let calls = 0;
  /** Each from a different address, so that the limit on failures doesn't respond in place of the lock. */
  const call = async ({ method, path, pathParameters }: Operation, { headers = {}, query = '' }: Attempt) => {
    const parameters = Object.fromEntries(pathParameters.map((name) => [name, 'unknown']));
    const remoteAddress = `10.0.${(++calls >> 8) & 255}.${calls & 255}`;
    const url = `${fillPath(path, parameters)}${query}`;
    return toAnswer(await stage.server.inject({ method, url, headers, remoteAddress }));
  };

  const expectRefused = async (operation: Operation, attempt: Attempt, what: string) => {
    const answer = await call(operation, attempt);
    const { code, detail } = expectProblem(answer, 401, `${operation.name} ${what}`);
    assert.equal(code, 'http.unauthorized');
    assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer\b/);
    assert.match(detail, WANTED[operation.wants ?? ''] ?? /^nothing is known/, `${operation.name} names what it wants`);
  };

  const expectAllRefused = async (attempts: Record<string, Attempt>, skip = (_: Operation) => false) => {
    for (const operation of operations.filter((one) => !skip(one))) {
      for (const [what, attempt] of Object.entries(attempts)) await expectRefused(operation, attempt, what);
    }
  };

  const bearer = (token: string): Attempt => ({ headers: { authorization: `Bearer ${token}` } });
  const wantsAccessToken = ({ wants }: Operation): boolean => wants === 'accessToken';
  const readTeam = (headers: Record<string, string>) => stage.server.inject({ url: '/api/team', headers });

  test('is refused by every operation that requires a credential, and told which one', () =>
    expectAllRefused({ 'without a credential': {} }));

  test('gets nowhere with what an unset variable leaves behind, or without a token', () =>
    expectAllRefused({
      undefined: bearer('undefined'),
      null: bearer('null'),
      'an object': bearer('[object Object]'),
      'an empty bearer': { headers: { authorization: 'Bearer ' } },
      'an empty header': { headers: { authorization: '' } },
      'a comma': bearer(','),
      'an empty cookie': { headers: { cookie: 'patchbay_session=' } },
    }));

  test('gets nowhere with a one-megabyte token', () =>
    expectAllRefused({ 'a long token': bearer(`pb_${'a'.repeat(MEGABYTE)}`) }));

  test('gets nowhere with a valid credential in the wrong place', async () => {
    const { token } = team.admin;
    const basic = (user: string, password: string): Attempt => ({
      headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
    });
    await expectAllRefused({
      '?token=': { query: `?token=${token}` },
      '?access_token=': { query: `?access_token=${token}` },
      '?authorization=': { query: `?authorization=Bearer%20${token}` },
      'Basic as password': basic('admin', token),
      'Basic as name': basic(token, ''),
      'no scheme': { headers: { authorization: token } },
      'another scheme': { headers: { authorization: `Digest ${token}` } },
      'two tokens': bearer(`${token}, ${token}`),
      'a header of its own': { headers: { 'x-api-key': token, 'x-access-token': token } },
      'a token as a cookie': { headers: { cookie: `patchbay_session=${token}; token=${token}` } },
    });
    for (const secret of Object.values(DOOR_SECRETS)) {
      await expectAllRefused({ 'a door secret in the query': { query: `?token=${secret}&secret=${secret}` } });
    }
    assert.equal((await readTeam(team.admin.headers)).statusCode, 200, 'The token itself is good.');
  });

  test('is told which scheme to use, and never reads the token in the response', async () => {
    const { token } = team.admin;
    for (const authorization of [`Basic ${token}`, `Tokens ${token}`, token, 'token', 'Bearer', '']) {
      const answer = await readTeam({ authorization });
      assert.equal(answer.statusCode, 401, authorization);
      assert.match(answer.json().detail, /Use "Authorization: Bearer …"/, authorization);
      assert.ok(!answer.body.includes(token), authorization);
    }
  });

  test("gets nowhere with an operator's secret under another scheme than Bearer", async () => {
    for (const [door, secret] of Object.entries(DOOR_SECRETS)) {
      const doors = operations.filter(({ wants }) => wants === door);
      assert.ok(doors.length > 0, door);
      for (const operation of doors)
        await expectRefused(operation, { headers: { authorization: `token ${secret}` } }, `token, ${door}`);
    }
  });

  test('gets nowhere with a token that is forged, truncated or made for something else', async () => {
    const { token } = team.admin;
    const [, id = '', secret = ''] = /^pb_([0-9a-f]+)_(.+)$/.exec(token) ?? [];
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"sub":"${team.admin.user.id}","team":"${team.team.id}"}`).toString('base64url')}.`;
    const link = (await makeLinkPath(stage, team.admin.user)).replace('/sign-in/', '');
    const session = await openSession(stage, team.admin.user);
    const cookie = session.cookie.replace('patchbay_session=', '');
    await expectAllRefused({
      'another secret': bearer(`pb_${id}_${secret.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'))}`),
      'another id': bearer(`pb_${'0'.repeat(32)}_${secret}`),
      'no secret': bearer(`pb_${id}_`),
      'the secret alone': bearer(secret),
      'cut short': bearer(token.slice(0, -1)),
      'one more': bearer(`${token}a`),
      'in capitals': bearer(token.toUpperCase()),
      'an unsigned JWT': bearer(unsigned),
      'a sign-in link': bearer(`pb_${link}`),
      'a sign-in link as a cookie': { headers: { cookie: `patchbay_session=${link}` } },
      'a session as a bearer': bearer(`pb_${cookie}`),
      'an access token as a session': { headers: { cookie: `patchbay_session=${token.slice(3)}` } },
    });
    assert.equal((await readTeam(session.headers)).statusCode, 200, 'The session itself is good.');
  });

  test('gets nowhere with a revoked token, from the next request on', async () => {
    const { user, headers, token } = team.member;
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers,
      payload: { name: 'to revoke' },
    });
    const revoked = made.json<{ id: string; token: string }>();
    assert.equal((await readTeam({ authorization: `Bearer ${revoked.token}` })).statusCode, 200);
    await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${revoked.id}`, headers });
    await expectAllRefused({ 'a revoked token': bearer(revoked.token) });
    assert.equal((await readTeam({ authorization: `Bearer ${token}` })).statusCode, 200, `${user.email} is still in.`);
  });

  test('gets nowhere with a removed member’s token', async () => {
    const { admin, member } = await stage.createTeam('removing');
    assert.equal((await readTeam(member.headers)).statusCode, 200);
    const url = `/api/members/${member.user.id}`;
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode, 204);
    await expectAllRefused({ 'a token of a removed member': bearer(member.token) });
  });

  test('finds the operator’s endpoints closed to users, and to the secrets of other endpoints', async () => {
    const session = await openSession(stage, team.admin.user);
    const doors = operations.filter((operation) => !wantsAccessToken(operation));
    assert.ok(doors.length >= 2);
    for (const operation of doors) {
      await expectRefused(operation, { headers: team.admin.headers }, "an admin's token");
      await expectRefused(operation, { headers: session.headers }, "an admin's session");
      await expectRefused(operation, bearer(SECRETS.PATCHBAY_ADMIN_TOKEN), 'the admin token');
      for (const [door, secret] of Object.entries(DOOR_SECRETS)) {
        if (door !== operation.wants) await expectRefused(operation, bearer(secret), `the ${door} secret`);
      }
      const own = await call(operation, bearer(DOOR_SECRETS[operation.wants as Door]));
      assert.notEqual(own.status, 401, `${operation.name} opens with its own secret`);
    }
  });

  test("finds the team's operations closed to the secrets of the operator's doors", async () => {
    // The operator token opens them for a team that it names (customer-headers.test.ts), and only then.
    const { operator, ...doors } = DOOR_SECRETS;
    await expectAllRefused(
      Object.fromEntries(Object.entries(doors).map(([door, secret]) => [door, bearer(secret)])),
      (operation) => !wantsAccessToken(operation),
    );
    for (const operation of operations.filter(wantsAccessToken))
      assert.equal(
        expectProblem(await call(operation, bearer(operator)), 400, operation.name).code,
        'operator.team_missing',
      );
  });

  test('gets nowhere with an expired token or session', async () => {
    const payload = { name: 'for a day', expiresInDays: 1 };
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: team.member.headers,
      payload,
    });
    const { token } = made.json<{ token: string }>();
    const session = await openSession(stage, team.member.user);
    clock.advance(DAY_MS - 1);
    assert.equal((await readTeam({ authorization: `Bearer ${token}` })).statusCode, 200, 'Until its last moment.');
    clock.advance(1_000);
    await expectAllRefused({ 'an expired token': bearer(token) });
    clock.advance(30 * DAY_MS);
    await expectAllRefused({ 'an expired session': { headers: session.headers } });
  });
});
