// Attack: somebody with a lost device has the person's session. While the person ends all their sessions, and that waits
// for a lock, the session moves to a team that has invited the person only after the waiting began.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE, holderOf, LINK_LIFETIME_MS, makeSignInLink, type User } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { createTestApp } from '../harness/app.ts';
import { holdLock, isOneWaiting } from '../harness/hold-database.ts';
import { cookieFrom, readCsrfToken } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('a session that moves to a new team while all of them are ended (postgresql)', () => {
  const stage = useStage(() => createTestApp('postgresql'));
  let made = 0;

  const open = async () => {
    const { app, server } = stage;
    const name = `robbed-${++made}`;
    const email = `victim@${name}.example`;
    const [first, own, evil] = [
      await stage.createTeam(`${name}-first`),
      await stage.createTeam(`${name}-own`),
      await stage.createTeam(`${name}-evil`),
    ];
    const join = (teamId: string): Promise<User> =>
      app.database.transaction((tx) => addUser(app, tx, teamId, { email, name: null, role: 'member' }));
    const [there, here] = [await join(first.team.id), await join(own.team.id)];
    // Within a millisecond, IDs are in no order.
    const [locked, used] = there.id < here.id ? [there, here] : [here, there];
    const signIn = async () => {
      const { address } = await makeSignInLink(app, app.database, holderOf(used), LINK_LIFETIME_MS.asked, 'asked');
      const answer = await server.inject({ method: 'POST', url: new URL(address).pathname });
      assert.equal(answer.statusCode, 303, answer.body);
      return cookieFrom(answer.headers['set-cookie'], 'patchbay_session');
    };
    const [stolen, kept] = [await signIn(), await signIn()];
    /** Invites the victim to the attacker's team, and opens the link there with the stolen session. */
    const move = async (): Promise<string> => {
      const invited = await server.inject({
        ...{ method: 'POST', url: '/api/members', headers: evil.admin.headers, payload: { email } },
      });
      assert.equal(invited.statusCode, 201, invited.body);
      const url = new URL(invited.json().signInLink).pathname;
      const moved = await server.inject({ method: 'POST', url, headers: { cookie: stolen } });
      assert.equal(moved.statusCode, 303, moved.body);
      return cookieFrom(moved.headers['set-cookie'], 'patchbay_session');
    };
    const lock = () => holdLock(app.database, 'select id from users where id = $1 for update', [locked.id]);
    const page = await server.inject({ url: '/settings/sessions', headers: { cookie: kept } });
    const endOthers = () =>
      server
        .inject({
          method: 'POST',
          url: '/settings/sessions/end-others',
          headers: { cookie: kept },
          payload: { _csrf: readCsrfToken(page.body), links: 'on' },
        })
        .then((answer) => answer.statusCode);
    /** Whether the session is back in the victim's team. */
    const switchBack = async (cookie: string): Promise<boolean> => {
      const shown = await server.inject({ url: '/settings/sessions', headers: { cookie } });
      if (shown.statusCode !== 200) return false;
      const payload = { _csrf: readCsrfToken(shown.body), team: used.teamId };
      const switched = await server.inject({ method: 'POST', url: '/teams/switch', headers: { cookie }, payload });
      if (switched.statusCode !== 303) return false;
      const back = cookieFrom(switched.headers['set-cookie'], 'patchbay_session');
      const team = await server.inject({ url: '/api/team', headers: { cookie: back } });
      return team.statusCode === 200 && team.json().team.id === used.teamId;
    };
    return { email, lock, move, endOthers, switchBack };
  };

  test('can switch back to the team of the person while nothing is ended', async () => {
    const { move, switchBack } = await open();
    assert.equal(await switchBack(await move()), true);
  });

  test('is ended with them by the person', async () => {
    const { lock, move, endOthers, switchBack } = await open();
    const held = await lock();
    const ending = endOthers();
    await waitUntil('it waits', () => isOneWaiting(stage.app.database), 10_000);
    const moved = await move();
    await held.release();
    assert.equal(await ending, 303);
    assert.equal(await switchBack(moved), false, 'The stolen session is back in the team of the person.');
  });

  test('is ended with them by the operator', async () => {
    const { email, lock, move, switchBack } = await open();
    const held = await lock();
    const ending = stage.app.teams.sessions.endAll({ email, teamId: null }, COMMAND_LINE);
    await waitUntil('it waits', () => isOneWaiting(stage.app.database), 10_000);
    const moved = await move();
    await held.release();
    await ending;
    assert.equal(await switchBack(moved), false, 'The stolen session is back in the team of the person.');
  });
});
