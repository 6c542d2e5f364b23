import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestApp, SECRETS, type TestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';

const headers = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
const ADMIN = 'admin@example.com';

/** The first team's admin has never signed in and has no token: only the operator's token acts as them. */
onEachEngine('a team’s only admin', (engine) => {
  let stage: TestApp;

  beforeEach(async () => {
    stage = await createTestApp(engine, { env: { PATCHBAY_ADMIN_EMAIL: ADMIN } });
  });

  afterEach(() => stage.close());

  const invite = async (payload: object) => {
    const answer = await stage.server.inject({ method: 'POST', url: '/api/members', headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  };

  const listAdmins = async () => {
    const rows = await stage.app.database.all<{ email: string }>(
      "select email from users where role = 'admin' and removed_at is null order by email",
    );
    return rows.map(({ email }) => email);
  };

  test('stays an admin when invited again without a role', async () => {
    const { status, body } = await invite({ email: ADMIN });
    assert.equal(status, 201);
    assert.equal(body.member.role, 'admin');
    assert.deepEqual(await listAdmins(), [ADMIN]);
    const team = await stage.server.inject({ method: 'PATCH', url: '/api/team', headers, payload: { name: 'ours' } });
    assert.equal(team.statusCode, 200, 'The team still has somebody who can change it.');
  });

  test('is not demoted by an invitation that says so', async () => {
    const { status, body } = await invite({ email: ADMIN, role: 'member' });
    assert.equal(status, 409);
    assert.equal(body.code, 'teams.last_admin');
    assert.deepEqual(await listAdmins(), [ADMIN]);
  });

  test('remains even if two admins are invited again as members at the same moment', async () => {
    const second = await invite({ email: 'second@example.com', role: 'admin' });
    assert.equal(second.status, 201);
    const answers = await Promise.all([ADMIN, 'second@example.com'].map((email) => invite({ email, role: 'member' })));
    assert.ok(answers.every(({ status }) => status < 500));
    assert.equal((await listAdmins()).length, 1);
  });

  test('remains if one admin is removed while the other is invited again as a member', async () => {
    const second = await invite({ email: 'second@example.com', role: 'admin' });
    const url = `/api/members/${second.body.member.id}`;
    await Promise.all([
      invite({ email: ADMIN, role: 'member' }),
      stage.server.inject({ method: 'DELETE', url, headers }),
    ]);
    assert.equal((await listAdmins()).length, 1);
  });
});
