import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { makeLinkPath, openSession, readCsrfToken } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;

onEachEngine('a sign-in link', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));
  const team = prepare(() => stage.createTeam('links'));

  const get = (url: string, headers = {}) => stage.server.inject({ url, headers });
  const post = (url: string, headers = {}) => stage.server.inject({ method: 'POST', url, headers });
  const countSessions = async (userId: string) =>
    (await stage.app.database.get<{ n: number }>('select count(*) as n from sessions where user_id = $1', [userId]))?.n;

  const expectGone = async (url: string, what: string) => {
    for (const answer of [await get(url), await post(url)]) {
      assert.equal(answer.statusCode, 410, `${what}: ${answer.body}`);
      assert.equal(answer.headers['set-cookie'], undefined, what);
    }
  };

  test('signs in one of twenty people using it at once', async () => {
    const { admin } = await stage.createTeam('crowd');
    const url = await makeLinkPath(stage, admin.user);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(url)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [303, ...Array(19).fill(410)]);
    assert.equal(answers.filter(({ headers }) => headers['set-cookie']).length, 1);
    assert.equal(await countSessions(admin.user.id), 1);
    const begun = await stage.app.database.all(
      "select id from audit_events where action = 'session.begin' and actor_id = $1",
      [admin.user.id],
    );
    assert.equal(begun.length, 1);
    await expectGone(url, 'a used link');
  });

  test('shows the person and team as often as it is opened, without being used up', async () => {
    const { admin, team: shown } = await stage.createTeam('looked-at');
    const url = await makeLinkPath(stage, admin.user);
    for (let look = 0; look < 3; look++) {
      const page = await get(url);
      assert.equal(page.statusCode, 200);
      assert.match(page.body, /admin@looked-at\.example/);
      assert.ok(page.body.includes(shown.name));
      assert.equal(page.headers['set-cookie'], undefined);
    }
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE'] as const) {
      const answer = await stage.server.inject({ method, url });
      assert.ok(answer.statusCode >= 400 || method === 'OPTIONS', `${method}: ${answer.statusCode}`);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
    assert.equal(await countSessions(admin.user.id), 0);
    assert.equal((await post(url)).statusCode, 303, 'It still works.');
  });

  test('works until its last moment and not after', async () => {
    const inTime = await makeLinkPath(stage, team.member.user, HOUR_MS);
    const late = await makeLinkPath(stage, team.member.user, HOUR_MS);
    clock.advance(HOUR_MS - 1);
    assert.equal((await post(inTime)).statusCode, 303);
    clock.advance(1);
    await expectGone(late, 'an expired link');
  });

  test('signs nobody in if altered', async () => {
    const url = await makeLinkPath(stage, team.member.user);
    const other = await makeLinkPath(stage, team.admin.user);
    const [, id = '', secret = ''] = /^\/sign-in\/([0-9a-f]{32})_(.+)$/.exec(url) ?? [];
    const [, otherId = ''] = /^\/sign-in\/([0-9a-f]{32})_/.exec(other) ?? [];
    const before = await countSessions(team.member.user.id);
    const flipped = secret.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
    for (const link of [
      `${id}_${flipped}`,
      `${otherId}_${secret}`,
      `${id}_`,
      `${id}_${secret}a`,
      `${id}_${secret}%20`,
      `${id.toUpperCase()}_${secret}`,
      `pb_${id}_${secret}`,
      secret,
      'undefined',
      '%27%20or%201=1--',
    ]) {
      await expectGone(`/sign-in/${link}`, link);
    }
    // Someone else's, because a sign-in voids the user's other links.
    const session = (await openSession(stage, team.admin.user)).cookie.replace('patchbay_session=', '');
    await expectGone(`/sign-in/${session}`, 'a session');
    await expectGone(`/sign-in/${team.member.token.slice(3)}`, 'an access token');
    assert.equal(await countSessions(team.member.user.id), before);
    assert.equal((await post(url)).statusCode, 303, 'The link itself works.');
  });

  test('signs nobody in if its member was removed', async () => {
    const { admin, member } = await stage.createTeam('leaving');
    const url = await makeLinkPath(stage, member.user);
    await stage.server.inject({ method: 'DELETE', url: `/api/members/${member.user.id}`, headers: admin.headers });
    await expectGone(url, 'a removed member');
  });

  test("never takes over another user's session: a page says so, and the link stays good", async () => {
    const { admin, member } = await stage.createTeam('taken');
    const session = await openSession(stage, admin.user);
    const url = await makeLinkPath(stage, member.user);
    const refused = await post(url, session.headers);
    assert.equal(refused.statusCode, 409);
    assert.match(String(refused.headers['content-type']), /^text\/html/);
    assert.match(refused.body, /signed in as admin@taken\.example/);
    assert.equal(refused.headers['set-cookie'], undefined);
    assert.equal(await countSessions(member.user.id), 0);
    assert.equal((await get('/api/team', session.headers)).statusCode, 200, 'The first session goes on.');
    assert.match(refused.body, /<form method="post" action="\/sign-out">/);
    const signedOut = await stage.server.inject({
      method: 'POST',
      url: '/sign-out',
      headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: readCsrfToken(refused.body) }).toString(),
    });
    assert.equal(signedOut.statusCode, 303, signedOut.body);
    assert.equal((await post(url, session.headers)).statusCode, 303);
  });

  test("of one's own works over one's own session", async () => {
    const session = await openSession(stage, team.admin.user);
    const url = await makeLinkPath(stage, team.admin.user);
    assert.equal((await post(url, session.headers)).statusCode, 303);
  });

  test("is refused where another site's page sends the form, and stays good", async () => {
    const { admin } = await stage.createTeam('foreign');
    const url = await makeLinkPath(stage, admin.user);
    const host = 'localhost:3000';
    for (const headers of [
      { host, origin: 'https://evil.example' },
      { host, origin: 'http://localhost:3000.evil.example' },
      { host, origin: 'http://localhost:3001' },
      { host, origin: 'null' },
      { host, origin: '' },
      { host, 'sec-fetch-site': 'cross-site' },
      { host, 'sec-fetch-site': 'same-site' },
      { host, 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
    ]) {
      const answer = await post(url, headers);
      assert.equal(answer.statusCode, 403, JSON.stringify(headers));
      assert.equal(answer.headers['set-cookie'], undefined);
    }
    assert.equal(await countSessions(admin.user.id), 0);
    const own = { host, 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' };
    assert.equal((await post(url, own)).statusCode, 303);
  });

  test('works from its own page, even in a browser that does not say where a request comes from', async () => {
    const { admin } = await stage.createTeam('own-page');
    const url = await makeLinkPath(stage, admin.user);
    const host = 'localhost:3000';
    const page = await get(url, { host });
    // Sec-Fetch-Site is sent to https and to localhost only. Origin is "null" for a form on a page with this policy:
    // https://fetch.spec.whatwg.org/#append-a-request-origin-header
    const origin = page.headers['referrer-policy'] === 'no-referrer' ? 'null' : `http://${host}`;
    assert.equal((await post(url, { host, origin })).statusCode, 303);
  });
});
