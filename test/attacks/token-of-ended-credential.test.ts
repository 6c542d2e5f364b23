import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { holderOf, type User } from '../../src/teams/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

/** Another process caches a caller for up to a second after their credential has ended. */
onEachEngine('a caller whose credential has just ended', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let user: User;

  before(async () => {
    user = (await stage.createTeam('acme')).member.user;
  });

  const tokensNamed = (name: string) =>
    stage.app.database.all('select id from access_tokens where team_id = $1 and name = $2', [user.teamId, name]);

  const askAs = (credential: { sessionId: string } | { tokenId: string }, name: string) => {
    const actor = { kind: 'user', userId: user.id, address: null, requestId: null } as const;
    return stage.app.teams.tokens.create({ ...holderOf(user), ...credential }, actor, { name });
  };

  const expectRefused = async (making: Promise<unknown>, name: string) => {
    await assert.rejects(making, { status: 401, code: 'http.unauthorized' });
    assert.deepEqual(await tokensNamed(name), []);
  };

  test('cannot create an access token with the session', async () => {
    const { headers, csrfToken } = await openSession(stage, user);
    const [session] = (await stage.server.inject({ url: '/api/sessions', headers })).json().sessions;
    assert.ok((await askAs({ sessionId: session.id }, 'while it lasts')).token);
    const ended = await stage.server.inject({
      method: 'DELETE',
      url: `/api/sessions/${session.id}`,
      headers: { ...headers, 'x-csrf-token': csrfToken },
    });
    assert.equal(ended.statusCode, 204, ended.body);
    await expectRefused(askAs({ sessionId: session.id }, 'after the session'), 'after the session');
  });

  test('cannot create an access token with another access token', async () => {
    const { id, token } = await stage.app.teams.tokens.create(
      holderOf(user),
      { kind: 'command_line', userId: null, address: null, requestId: null },
      { name: 'first' },
    );
    const headers = { authorization: `Bearer ${token}` };
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers,
      payload: { name: 'second' },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    const revoked = await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${id}`, headers });
    assert.ok(revoked.statusCode < 300, revoked.body);
    await expectRefused(askAs({ tokenId: id }, 'after the token'), 'after the token');
  });
});
