import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_LINE, getUser, holderOf, LINK_LIFETIME_MS, makeSignInLink } from '../../src/teams/index.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('sign-in links that nobody has opened when a device is lost', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const admin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

  const invite = async (email: string) => {
    const payload = { email };
    const url = '/api/members';
    const { member } = (await stage.server.inject({ method: 'POST', url, headers: admin, payload })).json();
    const user = await getUser(stage.app.database, await stage.app.events.getFirstTeamId(), member.id);
    assert.ok(user);
    return user;
  };

  type User = Awaited<ReturnType<typeof invite>>;

  /** Makes a link without mailing it, and returns how to open it. */
  const makeLink = async (user: User, kind: 'asked' | 'invited') => {
    const { app, server } = stage;
    const { address } = await makeSignInLink(app, app.database, holderOf(user), LINK_LIFETIME_MS.asked, kind);
    return async () => (await server.inject({ method: 'POST', url: new URL(address).pathname })).statusCode;
  };

  test("don't open anymore once their owner has ended all other sessions", async () => {
    const user = await invite('robbed@example.com');
    const { headers, csrfToken } = await openSession(stage, user);
    const [asked, invited] = [await makeLink(user, 'asked'), await makeLink(user, 'invited')];
    const ofAnother = await makeLink(await invite('colleague@example.com'), 'asked');
    const url = '/settings/sessions/end-others';
    const payload = { _csrf: csrfToken };
    assert.equal((await stage.server.inject({ method: 'POST', url, headers, payload })).statusCode, 303);
    const [entry] = await stage.app.database.all<{ detail: string }>(
      "select detail from audit_events where action = 'session.end_others'",
    );
    assert.deepEqual(JSON.parse(entry?.detail ?? ''), { ended: 0, askedLinks: 1 });
    assert.equal(await asked(), 410);
    assert.equal(await invited(), 303, 'An invitation was withdrawn.');
    assert.equal(await ofAnother(), 303);
  });

  test("don't open anymore once the operator has ended all sessions of the address", async () => {
    const user = await invite('far-away@example.com');
    const asked = await makeLink(user, 'asked');
    await stage.app.teams.sessions.endAll({ email: 'far-away@example.com', teamId: null }, COMMAND_LINE);
    assert.equal(await asked(), 410);
  });
});
