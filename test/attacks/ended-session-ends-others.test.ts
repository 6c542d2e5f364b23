import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a session that has just ended, in another process', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const refused = { status: 401, code: 'http.unauthorized' };

  /** A person's own session, and the stranger's, which the person has just ended. */
  const openEnded = async (name: string) => {
    const { team, admin, member } = await stage.createTeam(name);
    const own = await openSession(stage, admin.user);
    const stolen = await openSession(stage, admin.user);
    const { sessions } = (await stage.server.inject({ url: '/api/sessions', headers: stolen.headers })).json();
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    const headers = { ...own.headers, 'x-csrf-token': own.csrfToken };
    const ended = await stage.server.inject({ method: 'DELETE', url: `/api/sessions/${id}`, headers });
    assert.equal(ended.statusCode, 204, ended.body);
    // As another process still has it in its cache.
    const caller = { teamId: team.id, userId: admin.user.id, role: 'admin', sessionId: id as string } as const;
    const actor = { kind: 'user', address: null, requestId: null, ...caller } as const;
    const isSignedIn = async () =>
      (await stage.server.inject({ url: '/api/sessions', headers: own.headers })).statusCode === 200;
    const listOwn = async () => (await stage.server.inject({ url: '/api/sessions', headers: own.headers })).json();
    return { member, caller, actor, isSignedIn, listOwn };
  };

  test('signs nobody out', async () => {
    const { caller, actor, isSignedIn } = await openEnded('signing-out');
    await assert.rejects(stage.app.teams.sessions.endOthers(caller, actor, { links: true }), refused);
    assert.ok(await isSignedIn(), 'The owner was signed out by the session that they had ended.');
  });

  test('ends no single session, and can sign out once more', async () => {
    const { caller, actor, listOwn } = await openEnded('ending-one');
    const [{ id }] = (await listOwn()).sessions;
    await assert.rejects(stage.app.teams.sessions.end(caller, actor, id), refused);
    assert.equal(await stage.app.teams.sessions.end(caller, actor, caller.sessionId), false);
    assert.equal((await listOwn()).sessions.length, 1);
  });

  const makeToken = async (headers: Record<string, string>) => {
    const payload = { name: 'program' };
    const { id, token } = (await stage.server.inject({ method: 'POST', url: '/api/tokens', headers, payload })).json();
    const isValid = async () => {
      const asked = await stage.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } });
      return asked.statusCode === 200;
    };
    return { id, isValid };
  };

  test("revokes nobody's access token", async () => {
    const { member, caller, actor } = await openEnded('revoking');
    const { id, isValid } = await makeToken(member.headers);
    await assert.rejects(stage.app.teams.tokens.revoke(caller, actor, id), refused);
    assert.ok(await isValid(), 'It was revoked.');
  });

  test("of a former admin revokes nobody else's access token", async () => {
    const { team, admin, member } = await stage.createTeam('demoted');
    const { id, isValid } = await makeToken(admin.headers);
    // As another process still has the role in its cache.
    const caller = { teamId: team.id, userId: member.user.id, role: 'admin' } as const;
    const actor = { kind: 'user', address: null, requestId: null, ...caller } as const;
    await assert.rejects(stage.app.teams.tokens.revoke(caller, actor, id), { code: 'teams.token_unknown' });
    assert.ok(await isValid(), 'It was revoked.');
  });
});
