import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp, type TestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

/** Who may do what. An operation that is missing here fails the first test. */
const ROLES: Record<string, 'admin' | 'member'> = {
  'GET /api/events': 'member',
  'GET /api/events/{id}': 'admin',
  'GET /api/events/{id}/payload': 'member',
  'POST /api/events/{id}/resend': 'admin',
  'GET /api/events/endpoints': 'admin',
  'POST /api/events/endpoints': 'admin',
  'GET /api/events/endpoints/{id}': 'admin',
  'PATCH /api/events/endpoints/{id}': 'admin',
  'DELETE /api/events/endpoints/{id}': 'admin',
  'POST /api/events/endpoints/{id}/test': 'admin',
  'POST /api/events/endpoints/{id}/rotate': 'admin',
  'POST /api/events/endpoints/{id}/replay': 'admin',
  'GET /api/events/alerts': 'member',
  'PUT /api/events/alerts': 'admin',
  'POST /api/events/alerts/{id}/dismiss': 'member',
  'POST /api/telephony/erase': 'admin',
  'GET /api/reports': 'member',
  'GET /api/reports/{week}': 'member',
  'GET /api/reports/slack': 'admin',
  'PUT /api/reports/slack': 'admin',
  'DELETE /api/reports/slack': 'admin',
  'POST /api/reports/slack/test': 'admin',
  'GET /api/containments': 'admin',
  'POST /api/containments': 'admin',
  'GET /api/containments/{id}': 'admin',
  'GET /api/containments/{id}/exposure.csv': 'admin',
  'DELETE /api/containments/{id}': 'admin',
  'GET /api/approvals': 'admin',
  'GET /api/approvals/{id}': 'admin',
  'POST /api/approvals/{id}/approve': 'admin',
  'POST /api/approvals/{id}/refuse': 'admin',
  'GET /api/approvals/{id}/response': 'admin',
  'GET /api/team': 'member',
  'PATCH /api/team': 'admin',
  'GET /api/members': 'member',
  'POST /api/members': 'admin',
  'PATCH /api/members/{id}': 'admin',
  'DELETE /api/members/{id}': 'admin',
  'GET /api/tokens': 'member',
  'POST /api/tokens': 'member',
  'DELETE /api/tokens/{id}': 'member',
  'GET /api/sessions': 'member',
  'DELETE /api/sessions/{id}': 'member',
  'GET /api/audit': 'member',
  'GET /api/integrations/status': 'member',
  'GET /api/integrations/providers': 'member',
  'GET /api/integrations/requests': 'admin',
  'POST /api/integrations/{provider}/connect': 'member',
  'POST /api/integrations/{provider}/complete': 'member',
  'POST /api/integrations/{provider}/disconnect': 'member',
  'POST /api/integrations/{provider}/token': 'admin',
  'PUT /api/integrations/{provider}/key': 'member',
  'GET /api/integrations/{provider}/sites': 'member',
  'PUT /api/integrations/{provider}/site': 'member',
  'PUT /api/integrations/{provider}/credentials': 'admin',
  'DELETE /api/integrations/{provider}/credentials': 'admin',
  'GET /api/integrations/{provider}/people': 'member',
  'PATCH /api/integrations/{provider}/people': 'admin',
  'GET /api/integrations/{provider}/people/calls': 'member',
  'POST /api/integrations/{provider}/people/calls/{id}/retry': 'admin',
  'GET /api/integrations/{provider}/webhook': 'admin',
  'PUT /api/integrations/{provider}/webhook': 'admin',
  'DELETE /api/integrations/{provider}/webhook': 'admin',
  'POST /api/integrations/{provider}/webhook/rotate': 'admin',
  'DELETE /api/integrations/{provider}/webhook/secrets/{id}': 'admin',
  'GET /api/integrations/{provider}/proxy/{path}': 'admin',
  'HEAD /api/integrations/{provider}/proxy/{path}': 'admin',
  'POST /api/integrations/{provider}/proxy/{path}': 'admin',
  'PUT /api/integrations/{provider}/proxy/{path}': 'admin',
  'PATCH /api/integrations/{provider}/proxy/{path}': 'admin',
  'DELETE /api/integrations/{provider}/proxy/{path}': 'admin',
  'GET /api/telephony/accounts': 'admin',
  'POST /api/telephony/accounts': 'admin',
  'GET /api/telephony/accounts/{id}': 'admin',
  'PATCH /api/telephony/accounts/{id}': 'admin',
  'DELETE /api/telephony/accounts/{id}': 'admin',
  'POST /api/telephony/accounts/{id}/release': 'admin',
  'GET /api/telephony/numbers': 'admin',
  'GET /api/telephony/storage': 'admin',
  'POST /api/telephony/numbers': 'admin',
  'GET /api/telephony/numbers/{id}': 'admin',
  'PATCH /api/telephony/numbers/{id}': 'admin',
  'DELETE /api/telephony/numbers/{id}': 'admin',
  'GET /api/calls': 'member',
  'GET /api/calls/{id}': 'member',
  'POST /api/calls/{id}/returned': 'member',
  'DELETE /api/calls/{id}/returned': 'member',
  'POST /api/calls/returned': 'member',
  'GET /api/recordings/{id}': 'member',
  'GET /api/recordings/{id}/audio': 'member',
};

onOneEngine('a member', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let operations: Operation[];
  let team: Awaited<ReturnType<TestApp['createTeam']>>;

  before(async () => {
    operations = (await readOperations(stage.server)).operations.filter(({ wants }) => wants === 'accessToken');
    team = await stage.createTeam('roles');
  });

  const call = async ({ method, path, pathParameters }: Operation, headers: Record<string, string>) => {
    const parameters = Object.fromEntries(pathParameters.map((name) => [name, 'unknown']));
    return toAnswer(await stage.server.inject({ method, url: fillPath(path, parameters), headers }));
  };

  test('finds every team operation in the table of who may do what', () => {
    assert.deepEqual(operations.map(({ name }) => name).sort(), Object.keys(ROLES).sort());
  });

  test("is refused by every operation of an admin, whatever the credential, and by none of a member's", async () => {
    const { csrfToken, headers } = await openSession(stage, team.member.user);
    const session = { ...headers, 'x-csrf-token': csrfToken };
    for (const operation of operations) {
      for (const [what, credential] of Object.entries({ token: team.member.headers, session })) {
        const answer = await call(operation, credential);
        if (ROLES[operation.name] === 'admin') {
          assert.equal(expectProblem(answer, 403, `${operation.name} by ${what}`).code, 'http.admin_only');
        } else {
          assert.notEqual(answer.status, 403, `${operation.name} by ${what}`);
        }
      }
    }
  });

  test('does not get in the way of an admin, whom none of them refuses', async () => {
    for (const operation of operations) {
      assert.notEqual((await call(operation, team.admin.headers)).status, 403, operation.name);
    }
  });

  test('who was an admin until now is refused from the next request on', async () => {
    const { admin, member } = await stage.createTeam('demoted');
    const changeRole = (id: string, role: string, headers: Record<string, string>) =>
      stage.server.inject({ method: 'PATCH', url: `/api/members/${id}`, headers, payload: { role } });
    assert.equal((await changeRole(member.user.id, 'admin', admin.headers)).statusCode, 200);
    assert.equal((await changeRole(admin.user.id, 'member', member.headers)).statusCode, 200);
    expectProblem(toAnswer(await changeRole(admin.user.id, 'admin', admin.headers)), 403, 'a former admin');
  });

  test("cannot revoke a colleague's token, which is to them as unknown as any other", async () => {
    const { admin, member } = await stage.createTeam('colleagues');
    const ofAdmin = await stage.app.database.get<{ id: string }>('select id from access_tokens where user_id = $1', [
      admin.user.id,
    ]);
    const revoke = async (id: string) =>
      toAnswer(await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${id}`, headers: member.headers }));
    const { code: refused } = expectProblem(await revoke(ofAdmin?.id ?? ''), 404, "a colleague's token");
    const { code: unknown } = expectProblem(await revoke('01900000-0000-7000-8000-000000000000'), 404, 'no token');
    assert.equal(refused, unknown);
    assert.equal((await stage.server.inject({ url: '/api/team', headers: admin.headers })).statusCode, 200);
  });
});
