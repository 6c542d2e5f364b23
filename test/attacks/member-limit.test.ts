import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { asCustomer, createConnectSession, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MOST = 3;

onEachEngine('the limit of members', (engine) => {
  const stage = useStage(() => createTestApp(engine, { env: { PATCHBAY_MAX_MEMBERS: String(MOST) } }));

  const invite = async (headers: Record<string, string>, email: string) => {
    const answer = await stage.server.inject({ method: 'POST', url: '/api/members', headers, payload: { email } });
    return { status: answer.statusCode, body: answer.json() };
  };

  test('holds for many invitations at once, also in a team without an admin', async () => {
    await putCustomer(stage, 'crowded');
    const { headers } = asCustomer('crowded');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => invite(headers, `member-${index}@crowded.example`)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(answers.length - refused.length, MOST);
    assert.deepEqual(new Set(refused.map(({ body }) => body.code)), new Set(['teams.member_limit']));
  });

  test('does not count the users that the operator names', async () => {
    await putCustomer(stage, 'named');
    for (let index = 0; index < MOST + 1; index++) await createConnectSession(stage, 'named', { user: `u${index}` });
    const { headers } = asCustomer('named');
    for (let index = 0; index < MOST; index++)
      assert.equal((await invite(headers, `member-${index}@named.example`)).status, 201);
    assert.equal((await invite(headers, 'one-more@named.example')).body.code, 'teams.member_limit');
  });

  test('lets somebody sign in while an invitation waits for them', async () => {
    const { database } = stage.app;
    const { team, admin } = await stage.createTeam('arriving');
    const locked = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const arriving = database.transaction(async (tx) => {
      await tx.get('select id from users where id = $1 for update', [admin.user.id]);
      locked.resolve();
      await waits.promise;
      // What a sign-in records refers to the team.
      await tx.run(
        "insert into audit_events (id, team_id, at, actor, action) values ('arrived', $1, 1, 'user', 'test')",
        [team.id],
      );
    });
    await locked.promise;
    const inviting = invite(admin.headers, 'new@arriving.example');
    if (engine === 'postgresql')
      await waitUntil('the invitation waits for the sign-in', async () => {
        const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return (await database.all(waiting)).length > 0;
      });
    waits.resolve();
    await arriving;
    assert.equal((await inviting).status, 201);
  });
});
