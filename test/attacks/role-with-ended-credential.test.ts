import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a caller whose credential has just ended, in another process', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  const openEnded = async (name: string) => {
    const { admin, member, team } = await stage.createTeam(name);
    const { headers, csrfToken } = await openSession(stage, admin.user);
    const [session] = (await stage.server.inject({ url: '/api/sessions', headers })).json().sessions;
    const url = `/api/sessions/${session.id}`;
    const ending = { ...headers, 'x-csrf-token': csrfToken };
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers: ending })).statusCode, 204);
    const who = { kind: 'user', userId: admin.user.id, address: null, requestId: null } as const;
    return { team, member, actor: { ...who, sessionId: session.id as string } };
  };
  const members = () => stage.app.teams.members;
  const refused = { status: 401, code: 'http.unauthorized' };

  test('invites nobody ', async () => {
    const { team, actor } = await openEnded('inviting');
    const invitation = { email: 'accomplice@example.com', name: null, role: 'admin' as const };
    await assert.rejects(members().invite(team.id, actor, invitation), refused);
  });

  test('makes nobody an admin', async () => {
    const { team, member, actor } = await openEnded('promoting');
    await assert.rejects(members().change(team.id, actor, member.user.id, { role: 'admin' }), refused);
  });
});
