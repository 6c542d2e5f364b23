import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestApp, type TestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { expectProblem, toAnswer, withoutRequestId } from '../harness/problem.ts';

type Team = Awaited<ReturnType<TestApp['createTeam']>>;

/** A thing of a team that an operation addresses by its path. */
type Thing = {
  path: Record<string, string>;
  /** The same path with an id that nobody has. */
  unknown: Record<string, string>;
  body?: object;
  /** What the database holds of it. */
  row(): Promise<unknown>;
};

const NOBODYS = '01900000-0000-7000-8000-000000000000';

const makeMember = async ({ app }: TestApp, { member }: Team): Promise<Thing> => ({
  path: { id: member.user.id },
  unknown: { id: NOBODYS },
  row: () => app.database.get('select * from users where id = $1', [member.user.id]),
});

const makeToken = async ({ app, server }: TestApp, { member }: Team): Promise<Thing> => {
  const made = await server.inject({
    method: 'POST',
    url: '/api/tokens',
    headers: member.headers,
    payload: { name: 'wanted by others' },
  });
  const { id } = made.json<{ id: string }>();
  return {
    path: { id },
    unknown: { id: NOBODYS },
    row: () => app.database.get('select * from access_tokens where id = $1', [id]),
  };
};

/** For every operation with a parameter in its path: how a team comes by what it addresses. */
const MAKERS: Record<string, (stage: TestApp, team: Team) => Promise<Thing>> = {
  'PATCH /api/members/{id}': async (stage, team) => ({ ...(await makeMember(stage, team)), body: { name: 'Mallory' } }),
  'DELETE /api/members/{id}': makeMember,
  'DELETE /api/tokens/{id}': makeToken,
};

onEachEngine("another team's thing", (engine) => {
  let stage: TestApp;
  let operations: Operation[];
  let other: Team;

  before(async () => {
    stage = await createTestApp(engine);
    const all = (await readOperations(stage.server)).operations;
    operations = all.filter(({ wants, pathParameters }) => wants === 'accessToken' && pathParameters.length > 0);
    other = await stage.createTeam('other');
  });

  after(() => stage.close());

  const call = async (
    { method, path }: Operation,
    { headers }: { headers: Record<string, string> },
    parameters: Record<string, string>,
    body: object | undefined,
  ) => {
    const url = fillPath(path, parameters);
    return toAnswer(await stage.server.inject({ method, url, headers, ...(body ? { payload: body } : {}) }));
  };

  test('is made for every operation that addresses one', () => {
    assert.ok(operations.length > 0);
    assert.deepEqual(operations.map(({ name }) => name).sort(), Object.keys(MAKERS).sort());
  });

  test('answers as if it were not there, to the last byte, and stays as it is', async () => {
    for (const [index, operation] of operations.entries()) {
      const { name } = operation;
      const owner = await stage.createTeam(`owner${index}`);
      const thing = await MAKERS[name]?.(stage, owner);
      assert.ok(thing, `${name} has no maker.`);
      const before = await thing.row();
      assert.ok(before, `${name}: there is a row.`);

      const refused = await call(operation, other.admin, thing.path, thing.body);
      const unknown = await call(operation, other.admin, thing.unknown, thing.body);
      expectProblem(refused, 404, `${name} of another team`);
      assert.deepEqual(withoutRequestId(refused), withoutRequestId(unknown), `${name} tells nothing`);
      assert.deepEqual(await thing.row(), before, `${name} changed the row`);

      const done = await call(operation, owner.admin, thing.path, thing.body);
      assert.ok(done.status < 300, `${name} works for its own team: ${done.status} ${done.body}`);
    }
  });

  test('is in no list', async () => {
    const owner = await stage.createTeam('listed');
    await makeToken(stage, owner);
    const { operations: all } = await readOperations(stage.server);
    const lists = all.filter(
      ({ method, wants, pathParameters }) => method === 'GET' && wants === 'accessToken' && pathParameters.length === 0,
    );
    const secrets = [owner.team.id, owner.admin.user.id, owner.member.user.id, 'listed.example'];
    for (const list of lists) {
      const mine = await call(list, owner.admin, {}, undefined);
      assert.ok(
        secrets.some((secret) => mine.body.includes(secret)),
        `${list.name} shows the team nothing of its own: make something for it first`,
      );
      const theirs = await call(list, other.admin, {}, undefined);
      for (const secret of secrets) assert.ok(!theirs.body.includes(secret), `${list.name} shows ${secret}`);
    }
  });
});
