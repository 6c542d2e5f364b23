import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { cookieFrom, makeLinkPath, openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const signInAt = async (url: string) => {
  const stage = await createTestApp('sqlite', { env: { PATCHBAY_URL: url } });
  const { user } = (await stage.createTeam('cookies')).admin;
  const answer = await stage.server.inject({ method: 'POST', url: await makeLinkPath(stage, user) });
  return { stage, user, lines: [answer.headers['set-cookie'] ?? []].flat().map(String) };
};

const attributesOf = (line: string): string[] => line.split('; ').slice(1).sort();

describe('the session cookie', () => {
  test('is hidden from scripts and other sites', async () => {
    const { stage, lines } = await signInAt('http://localhost:3000');
    const [line = ''] = lines;
    assert.match(line, /^patchbay_session=[0-9a-f]{32}_[\w-]{43};/);
    assert.deepEqual(attributesOf(line), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    await stage.close();
  });

  test('is bound to host and TLS if the service uses https', async () => {
    const { stage, user, lines } = await signInAt('https://patchbay.example');
    const [line = '', ...others] = lines;
    assert.match(line, /^__Host-patchbay_session=/);
    assert.deepEqual(attributesOf(line), ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
    for (const other of others) assert.match(other, /; Secure/);
    const { cookie } = await openSession(stage, user, '__Host-patchbay_session');
    const asked = (sent: string) => stage.server.inject({ url: '/api/team', headers: { cookie: sent } });
    assert.equal((await asked(cookie)).statusCode, 200);
    assert.equal((await asked(cookie.replace('__Host-', ''))).statusCode, 401, 'A sibling host could set this one.');
    await stage.close();
  });

  test('is new with each sign-in, whatever the browser brings along', async () => {
    const { stage, user } = await signInAt('http://localhost:3000');
    const planted = `patchbay_session=${'a'.repeat(32)}_${'b'.repeat(43)}`;
    const url = await makeLinkPath(stage, user);
    const answer = await stage.server.inject({ method: 'POST', url, headers: { cookie: planted } });
    assert.notEqual(cookieFrom(answer.headers['set-cookie'], 'patchbay_session'), planted);
    await stage.close();
  });
});

onOneEngine('a session', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  const readTeam = (headers: Record<string, string>) => stage.server.inject({ url: '/api/team', headers });
  const signOut = (headers: Record<string, string>, payload = '') =>
    stage.server.inject({
      method: 'POST',
      url: '/sign-out',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });

  test('ends immediately when its user signs out, and only that one', async () => {
    const { admin } = await stage.createTeam('leaving');
    const session = await openSession(stage, admin.user);
    const other = await openSession(stage, admin.user);
    assert.equal((await readTeam(session.headers)).statusCode, 200);
    const answer = await signOut(session.headers, `_csrf=${encodeURIComponent(session.csrfToken)}`);
    assert.equal(answer.statusCode, 303);
    assert.match(String(answer.headers['set-cookie']), /^patchbay_session=;.*Expires=Thu, 01 Jan 1970/);
    assert.equal((await readTeam(session.headers)).statusCode, 401);
    assert.equal((await readTeam(other.headers)).statusCode, 200);
    const rows = await stage.app.database.all('select id from sessions where user_id = $1', [admin.user.id]);
    assert.equal(rows.length, 1);
  });

  test('is not ended by a link, an image or a form on another site', async () => {
    const { admin } = await stage.createTeam('staying');
    const session = await openSession(stage, admin.user);
    assert.equal((await stage.server.inject({ url: '/sign-out', headers: session.headers })).statusCode, 405);
    assert.equal((await signOut(session.headers)).statusCode, 403);
    assert.equal((await signOut(session.headers, '_csrf=guessed')).statusCode, 403);
    assert.equal((await readTeam(session.headers)).statusCode, 200);
  });

  test('is not ended by a teammate who knows its id but not its secret', async () => {
    const { admin, member } = await stage.createTeam('colleagues');
    const session = await openSession(stage, admin.user);
    const forged = `${session.cookie.slice(0, -43)}${'x'.repeat(43)}`;
    await signOut({ ...member.headers, cookie: forged });
    assert.equal((await readTeam(session.headers)).statusCode, 200);
  });

  test('of a removed member is refused from the next request on', async () => {
    const { admin, member } = await stage.createTeam('removed');
    const session = await openSession(stage, member.user);
    assert.equal((await readTeam(session.headers)).statusCode, 200);
    await stage.server.inject({ method: 'DELETE', url: `/api/members/${member.user.id}`, headers: admin.headers });
    assert.equal((await readTeam(session.headers)).statusCode, 401);
    const home = await stage.server.inject({ url: '/', headers: session.headers });
    assert.equal(home.headers.location, '/sign-in?returnTo=%2F');
  });

  test('is ignored next to a bearer token: the token decides who is calling', async () => {
    const { admin } = await stage.createTeam('both');
    const other = await stage.createTeam('beside');
    const session = await openSession(stage, admin.user);
    const { team } = (await readTeam({ ...session.headers, ...other.member.headers })).json();
    assert.equal(team.id, other.team.id);
    const refused = await readTeam({ ...session.headers, authorization: 'Bearer nonsense' });
    assert.equal(refused.statusCode, 401, 'A bad token is not made good by a cookie.');
  });
});
