import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { User } from '../../src/teams/index.ts';
import { cookiesOf, expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const CLEARED = /^patchbay_connect=;.*Expires=Thu, 01 Jan 1970/;

onOneEngine('a flow that was begun in a session which has ended', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  let made = 0;

  const createTeam = () => flow.stage.createTeam(`signed-out-${engine}-${++made}`);

  const signIn = async (user: User) => {
    const session = await openSession(flow.stage, user);
    return { ...session, headers: { cookie: session.cookie, 'x-csrf-token': session.csrfToken } };
  };

  /** As a browser, which also carries the cookies of its flows. */
  const signOut = async ({ cookie, csrfToken }: Session, cookies = '') => {
    const answer = await flow.stage.server.inject({
      method: 'POST',
      url: '/sign-out',
      headers: { cookie: `${cookie}; ${cookies}`, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
    });
    assert.equal(answer.statusCode, 303, answer.body);
    return [answer.headers['set-cookie'] ?? []].flat().map(String);
  };

  const pathOf = (address: string): string => {
    const { pathname, search } = new URL(address, 'http://localhost');
    return `${pathname}${search}`;
  };

  const expectNothing = async (person: { headers: Record<string, string> }, before: number) => {
    assert.equal(flow.exchanges(), before, 'A token request was made.');
    assert.equal(await flow.statusOf(person), 'disconnected');
  };

  test('connects nothing with the cookies of its browser', async () => {
    const { admin, member } = await createTeam();
    const session = await signIn(member.user);
    const { headers } = await flow.get('/api/integrations/github/connect', { cookie: session.cookie });
    const followed = { authorizationUrl: String(headers.location), cookie: cookiesOf(headers['set-cookie']) };
    const begun = [await flow.begin(session), followed];
    await signOut(session);
    const before = flow.exchanges();
    for (const { authorizationUrl, cookie } of begun)
      expectRefused(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 400, 'integrations.state_invalid');
    await expectNothing(admin, before);
  });

  test("does not bring the next person's account at the same browser into the previous person's team", async () => {
    const { admin, member } = await createTeam();
    const next = await createTeam();
    const session = await signIn(member.user);
    const begun = await flow.begin(session);
    // With a token, at the same browser. Signing out doesn't end it, but takes its proof from the browser.
    const withToken = await flow.begin(member, 'github', {}, { cookie: begun.cookie });
    assert.equal(withToken.cookie, begun.cookie);
    const [, cleared = ''] = await signOut(session, begun.cookie);
    assert.match(cleared, CLEARED);
    const { cookie } = await signIn(next.member.user);
    const before = flow.exchanges();
    const arrived = await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: `${cookie}; ${begun.cookie}` });
    expectRefused(arrived, 400, 'integrations.state_invalid');
    expectParked(await flow.arrive(flow.consent(withToken.authorizationUrl), { cookie }));
    await expectNothing(admin, before);
    await expectNothing(next.admin, before);
  });

  test('cannot be completed if it was parked, continued through its link, or finished on the form for a key', async () => {
    const { admin, member } = await createTeam();
    const session = await signIn(member.user);
    const begun = await flow.begin(session);
    const attempt = expectParked(await flow.arrive(flow.consent(begun.authorizationUrl)));
    const form = await flow.get('/api/integrations/brevo/connect', { cookie: session.cookie });
    const action = pathOf(String(form.headers.location));
    assert.equal((await flow.get(action)).statusCode, 200);
    await signOut(session);
    const before = flow.exchanges();
    // The same person, signed in again.
    const again = await signIn(member.user);
    expectRefused(await flow.complete(again, attempt), 410, 'integrations.attempt_expired');
    expectRefused(await flow.get(pathOf(begun.connectUrl), again.headers), 410, 'integrations.ticket_invalid');
    assert.equal((await flow.get(action, again.headers)).statusCode, 400);
    await expectNothing(admin, before);
  });

  test('cannot be continued with a link of a program either, once the browser that followed it has signed out', async () => {
    const { admin, member } = await createTeam();
    const session = await signIn(member.user);
    const { connectUrl } = await flow.begin(member);
    const followed = await flow.get(pathOf(connectUrl), { cookie: session.cookie });
    await signOut(session);
    const before = flow.exchanges();
    const back = flow.consent(String(followed.headers.location));
    const cookie = cookiesOf(followed.headers['set-cookie']);
    expectRefused(await flow.arrive(back, { cookie }), 400, 'integrations.state_invalid');
    await expectNothing(admin, before);
  });

  test('leaves no connection if it ends while the provider is being asked for tokens', async () => {
    const { admin, member } = await createTeam();
    const session = await signIn(member.user);
    const begun = await flow.begin(session);
    const { outbound } = flow.simulator;
    const { request } = outbound;
    let ended = false;
    outbound.request = async (asked) => {
      const answer = await request(asked);
      if (!ended) await signOut(session);
      ended = true;
      return answer;
    };
    const arrived = await flow
      .arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie })
      .finally(() => Object.assign(outbound, { request }));
    assert.equal(ended, true);
    expectRefused(arrived, 400, 'integrations.state_invalid');
    assert.equal(await flow.statusOf(admin), 'disconnected');
  });

  test('is not continued after the session was ended from another one', async () => {
    const { admin, member } = await createTeam();
    const [lost, kept] = [await signIn(member.user), await signIn(member.user)];
    const begun = await flow.begin(lost);
    const listed = await flow.get('/api/sessions', lost.headers);
    const { id } =
      listed.json<{ sessions: { id: string; current: boolean }[] }>().sessions.find((one) => one.current) ?? {};
    const url = `/api/sessions/${id}`;
    assert.equal((await flow.stage.server.inject({ method: 'DELETE', url, headers: kept.headers })).statusCode, 204);
    const before = flow.exchanges();
    const arrived = await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie });
    expectRefused(arrived, 400, 'integrations.state_invalid');
    await expectNothing(admin, before);
  });

  test('does not end what was begun with a token, or in another session', async () => {
    const { member } = await createTeam();
    const [session, other] = [await signIn(member.user), await signIn(member.user)];
    const begun = [await flow.begin(member), await flow.begin(other)];
    const parked = expectParked(await flow.arrive(flow.consent((await flow.begin(other)).authorizationUrl)));
    const { connectUrl } = await flow.begin(other);
    const cleared = await signOut(session);
    assert.equal(cleared.length, 1, 'A browser without a flow has no cookie to clear.');
    for (const { authorizationUrl, cookie } of begun)
      expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
    expectConnected(await flow.complete(other, parked));
    assert.equal((await flow.get(pathOf(connectUrl), { cookie: other.cookie })).statusCode, 302);
  });

  test('is not one whose session has switched to another team, until the person signs out there', async () => {
    const [home, away] = [await createTeam(), await createTeam()];
    const { database } = flow.stage.app;
    await database.run('update users set email = $1 where id = $2', [home.member.user.email, away.member.user.id]);
    const session = await signIn(home.member.user);
    await database.run('update sessions set proves_address = 1 where user_id = $1', [home.member.user.id]);
    const [first, second] = [await flow.begin(session), await flow.begin(session)];
    const switched = await flow.stage.server.inject({
      method: 'POST',
      url: '/teams/switch',
      headers: { cookie: session.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ team: away.team.id, _csrf: session.csrfToken }).toString(),
    });
    assert.equal(switched.statusCode, 303, switched.body);
    const cookie = cookiesOf(switched.headers['set-cookie']);
    const page = await flow.get('/settings/sessions', { cookie });
    const csrfToken = /name="_csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    expectConnected(await flow.arrive(flow.consent(first.authorizationUrl), { cookie: first.cookie }));
    await signOut({ cookie, csrfToken, headers: { cookie } });
    const late = await flow.arrive(flow.consent(second.authorizationUrl), { cookie: second.cookie });
    expectRefused(late, 400, 'integrations.state_invalid');
  });
});
