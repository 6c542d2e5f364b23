import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp, type TestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a state-changing request with a session', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let changing: Operation[];
  let session: Session;
  let team: Awaited<ReturnType<TestApp['createTeam']>>;

  before(async () => {
    const { operations } = await readOperations(stage.server);
    changing = operations.filter(({ method, takesSession }) => method !== 'GET' && takesSession);
    team = await stage.createTeam('csrf');
    session = await openSession(stage, team.admin.user);
  });

  const call = async ({ method, path, pathParameters }: Operation, headers: Record<string, string>) => {
    const parameters = Object.fromEntries(pathParameters.map((name) => [name, 'unknown']));
    const payload = { method, url: fillPath(path, parameters), headers, payload: {} };
    return toAnswer(await stage.server.inject(payload));
  };

  const create = (headers: Record<string, string>, payload: string, url = '/api/tokens') =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { ...session.headers, 'content-type': 'application/json', ...headers },
      payload,
    });

  const countTokens = async () =>
    (await stage.app.database.get<{ n: number }>('select count(*) as n from access_tokens'))?.n;

  test("is refused by every operation without the session's own token, and let on with it", async () => {
    const other = await openSession(stage, team.admin.user);
    assert.ok(changing.length >= 5);
    for (const operation of changing) {
      const attempts: Record<string, Record<string, string>> = {
        'no token': {},
        'an empty token': { 'x-csrf-token': '' },
        'a guessed token': { 'x-csrf-token': 'a'.repeat(43) },
        'what an unset variable leaves': { 'x-csrf-token': 'undefined' },
        'the token of another session': { 'x-csrf-token': other.csrfToken },
        'the secret of the session': { 'x-csrf-token': session.cookie.slice(-43) },
      };
      for (const [what, headers] of Object.entries(attempts)) {
        const answer = await call(operation, { ...session.headers, ...headers });
        assert.equal(expectProblem(answer, 403, `${operation.name} with ${what}`).code, 'http.csrf');
      }
      const { status } = await call(operation, { ...session.headers, 'x-csrf-token': session.csrfToken });
      assert.notEqual(status, 403, `${operation.name} with the token`);
    }
  });

  test('is refused with the token in the address', async () => {
    const before = await countTokens();
    const url = `/api/tokens?_csrf=${session.csrfToken}&x-csrf-token=${session.csrfToken}`;
    assert.equal((await create({}, '{"name":"x"}', url)).statusCode, 403);
    assert.equal(await countTokens(), before);
  });

  test('is refused as a form from another site, whatever content type it claims', async () => {
    const before = await countTokens();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b']) {
      const answer = await create({ 'content-type': type }, '{"name":"x"}');
      expectProblem(toAnswer(answer), [403, 415], type);
    }
    assert.equal(await countTokens(), before);
  });

  test('is allowed with the token in the header or the body', async () => {
    const inHeader = await create({ 'x-csrf-token': session.csrfToken }, '{"name":"x"}');
    assert.equal(inHeader.statusCode, 201, inHeader.body);
    const inBody = await create({}, JSON.stringify({ name: 'x', _csrf: session.csrfToken }));
    assert.equal(inBody.statusCode, 201, inBody.body);
  });

  test('gets a problem response, not a failure, if its body is not an object', async () => {
    for (const body of ['5', '"text"', 'true', 'null', '[]', '["_csrf"]']) {
      const known = await create({ 'x-csrf-token': session.csrfToken }, body);
      expectProblem(toAnswer(known), 400, `${body} with the token`);
      const unknown = await create({}, body);
      expectProblem(toAnswer(unknown), [400, 403], `${body} without the token`);
    }
  });

  test('needs no such token with an access token, which no browser sends by itself', async () => {
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: team.admin.headers,
      payload: { name: 'x' },
    });
    assert.equal(answer.statusCode, 201);
  });
});
