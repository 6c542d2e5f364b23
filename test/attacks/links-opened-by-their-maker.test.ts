import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../src/platform/index.ts';
import { COMMAND_LINE, holderOf } from '../../src/teams/index.ts';
import { createTestApp, SECRETS, type TestApp } from '../harness/app.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { runTogether } from '../harness/run-together.ts';
import { cookieFrom, readCsrfToken } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

type Headers = Record<string, string>;
type Role = 'admin' | 'member';
type Team = Awaited<ReturnType<TestApp['createTeam']>>;

/** A service whose admins make sign-in links for others. */
const openLinks = (engine: Engine) => {
  const stage = useStage(() => createTestApp(engine));
  let made = 0;

  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers: Headers, payload?: object) =>
    stage.server.inject({ method, url, headers, ...(payload && { payload }) });

  const statusOf = async (headers: Headers) => (await ask('GET', '/api/team', headers)).statusCode;

  /** Opens a sign-in link in a browser of its own. */
  const open = async (link: string): Promise<Headers> => {
    const signedIn = await ask('POST', new URL(link, 'http://localhost').pathname, {});
    assert.equal(signedIn.statusCode, 303, signedIn.body);
    const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
    const page = await ask('GET', '/settings/sessions', { cookie });
    return { cookie, 'x-csrf-token': readCsrfToken(page.body) };
  };

  const invite = async (by: Headers, email: string, role: Role = 'admin') => {
    const invited = await ask('POST', '/api/members', by, { email, role });
    assert.equal(invited.statusCode, 201, invited.body);
    const { member, signInLink } = invited.json();
    return { id: member.id as string, email, link: signInLink as string };
  };

  const postForm = (by: Headers, url: string, fields: Record<string, string> = {}) =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { cookie: by['cookie'] ?? '', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: by['x-csrf-token'] ?? '', ...fields }).toString(),
    });

  const askForLink = (by: Headers, userId: string) => postForm(by, `/settings/members/${userId}/link`);

  const endOthers = async (by: Headers, { links }: { links: boolean }): Promise<void> => {
    const ended = await postForm(by, '/settings/sessions/end-others', links ? { links: 'on' } : {});
    assert.equal(ended.statusCode, 303, ended.body);
  };

  const makeLink = async (by: Headers, userId: string): Promise<string> => {
    const { body } = await askForLink(by, userId);
    return /\/sign-in\/[\w-]+/.exec(body)?.[0] ?? assert.fail(body);
  };

  const makeToken = async (by: Headers): Promise<Headers> => {
    const token = await ask('POST', '/api/tokens', by, { name: 'kept' });
    assert.equal(token.statusCode, 201, token.body);
    return { authorization: `Bearer ${token.json().token}` };
  };

  /** A team whose owner has invited two admins, Max and Yao. Both have signed in with a link that was handed over. */
  const prepare = async () => {
    const team: Team = await stage.createTeam(`handed-${engine}-${++made}`);
    const owner = team.admin.headers;
    const max = await invite(owner, `max-${made}@example.com`);
    const yao = await invite(owner, `yao-${made}@example.com`);
    return {
      ...{
        team,
        owner,
        max: { ...max, headers: await open(max.link) },
        yao: { ...yao, headers: await open(yao.link) },
      },
      remove: () => ask('DELETE', `/api/members/${max.id}`, owner),
      demote: () => ask('PATCH', `/api/members/${max.id}`, owner, { role: 'member' }),
    };
  };

  const lastDetail = async ({ team }: Team, action: string) => {
    const sql = 'select detail from audit_events where team_id = $1 and action = $2 order by id desc limit 1';
    const row = await stage.app.database.get<{ detail: string | null }>(sql, [team.id, action]);
    return JSON.parse(row?.detail ?? 'null');
  };

  const currentId = async (headers: Headers): Promise<string> =>
    (await ask('GET', '/api/sessions', headers)).json().sessions.find(({ current }: { current: boolean }) => current)
      .id;

  return {
    stage,
    made,
    ask,
    statusOf,
    open,
    invite,
    askForLink,
    endOthers,
    makeLink,
    makeToken,
    prepare,
    lastDetail,
    currentId,
  };
};

onOneEngine('an admin who opens the sign-in link that they made for someone else', (engine) => {
  const { stage, made, ask, statusOf, open, invite, askForLink, makeLink, makeToken, prepare, lastDetail, currentId } =
    openLinks(engine);

  for (const how of ['remove', 'demote'] as const)
    test(`is signed out there when they are ${how}d, and the tokens made there end`, async () => {
      const { team, owner, max, yao, ...act } = await prepare();
      const asYao = await open(await makeLink(max.headers, yao.id));
      const token = await makeToken(asYao);
      const second = await makeToken(token);
      const own = await makeToken(yao.headers);
      for (const headers of [asYao, token, second]) assert.equal(await statusOf(headers), 200);

      assert.ok((await act[how]()).statusCode < 300);
      for (const headers of [asYao, token, second]) assert.equal(await statusOf(headers), 401);
      for (const headers of [owner, yao.headers, own])
        assert.equal(await statusOf(headers), 200, 'What is not from them stays.');
      const { endedWithTheirLinks } = await lastDetail(team, how === 'remove' ? 'member.remove' : 'member.change');
      assert.deepEqual(endedWithTheirLinks, { sessions: 1, tokens: 2 });
    });

  test('keeps no way in through a third person, even after signing out as the second', async () => {
    const { owner, max, yao, remove } = await prepare();
    const asYao = await open(await makeLink(max.headers, yao.id));
    const zoe = await invite(owner, `zoe-${made}@example.com`);
    await open(zoe.link);
    const asZoe = await open(await makeLink(asYao, zoe.id));
    const token = await makeToken(asYao);
    const ghost = await invite(token, `ghost-${made}@example.com`);
    const signedOut = await ask('DELETE', `/api/sessions/${await currentId(asYao)}`, asYao);
    assert.equal(signedOut.statusCode, 204, signedOut.body);

    assert.equal((await remove()).statusCode, 204);
    assert.equal(await statusOf(asZoe), 401);
    assert.equal((await ask('POST', new URL(ghost.link).pathname, {})).statusCode, 410);
  });

  test('cannot use an invitation of theirs that nobody has opened, once they are removed', async () => {
    const { max, remove } = await prepare();
    const { link } = await invite(max.headers, `spare-${made}@example.com`);
    assert.equal((await remove()).statusCode, 204);
    assert.equal((await ask('POST', new URL(link).pathname, {})).statusCode, 410);
  });

  test('keeps nothing of it when they are invited again with a lower role', async () => {
    const { team, owner } = await prepare();
    const { members, tokens } = stage.app.teams;
    const email = `program-${made}@example.com`;
    const { user } = await members.invite(team.team.id, COMMAND_LINE, { email, name: null, role: 'admin' });
    const { token, id } = await tokens.create(holderOf(user), COMMAND_LINE, { name: 'ci' });
    const mule = await open((await invite({ authorization: `Bearer ${token}` }, `mule-${made}@example.com`)).link);
    const kept = await makeToken(mule);
    assert.equal((await ask('DELETE', `/api/tokens/${id}`, owner)).statusCode, 204);
    await invite(owner, email, 'member');
    for (const headers of [mule, kept]) assert.equal(await statusOf(headers), 401);
    const { endedWithTheirLinks } = await lastDetail(team, 'member.invite');
    assert.deepEqual(endedWithTheirLinks, { sessions: 1, tokens: 1 });
  });

  test("is not the operator, whose invitations outlast the first proof of the first team's admin", async () => {
    const { database, teams } = stage.app;
    const operator = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
    const colleague = await open((await invite(operator, 'colleague@example.com')).link);
    const first = await database.get<{ teamId: string; id: string }>(
      `select team_id as "teamId", id from users where role = 'admin' order by id limit 1`,
    );
    const admin = await teams.members.get(first?.teamId ?? '', first?.id ?? '');
    await open((await teams.members.makeLink(admin, COMMAND_LINE)).address);
    assert.equal(await statusOf(colleague), 200);
  });

  test('gets none for a person who has proven an address, also after the operator has changed it', async () => {
    const { team, max, yao } = await prepare();
    const { members } = stage.app.teams;
    const proving = await members.makeLink(await members.get(team.team.id, yao.id), COMMAND_LINE);
    await open(proving.address);
    assert.equal((await askForLink(max.headers, yao.id)).statusCode, 409);
    await members.changeEmail(await members.get(team.team.id, yao.id), COMMAND_LINE, `new-yao-${made}@example.com`);
    assert.equal((await askForLink(max.headers, yao.id)).statusCode, 409);
    const links = 'select id from sign_in_links where user_id = $1 and used_at is null';
    assert.deepEqual(await stage.app.database.all(links, [yao.id]), []);
  });
});

onEachEngine('an admin who opened a link that they made for someone else, and is ended there', (engine) => {
  const { stage, made, ask, statusOf, open, invite, endOthers, makeLink, makeToken, prepare, lastDetail } =
    openLinks(engine);

  test('gets no token that is made there at the moment they are removed', async () => {
    const { owner, max, remove } = await prepare();
    const mia = await invite(owner, `mia-${made}@example.com`, 'member');
    await open(mia.link);
    const asMia = await open(await makeLink(max.headers, mia.id));
    const make = () => ask('POST', '/api/tokens', asMia, { name: 'at the last moment' });
    const [token] = await runTogether(stage.app.database, 'access_tokens', [make, remove]);
    assert.equal(token.statusCode, 201, token.body);
    assert.equal(await statusOf({ authorization: `Bearer ${token.json().token}` }), 401);
  });

  test('gets no token that is made with a token from there at the moment they are removed', async () => {
    const { owner, max, remove } = await prepare();
    const mia = await invite(owner, `mia-${made}@example.com`, 'member');
    await open(mia.link);
    const token = await makeToken(await open(await makeLink(max.headers, mia.id)));
    const make = () => ask('POST', '/api/tokens', token, { name: 'at the last moment' });
    const [second] = await runTogether(stage.app.database, 'access_tokens', [make, remove]);
    assert.equal(second.statusCode, 201, second.body);
    assert.equal(await statusOf({ authorization: `Bearer ${second.json().token}` }), 401);
  });

  test('gets no link that is made with a token from there at the moment the person proves their address', async () => {
    const { team, max, yao } = await prepare();
    const token = await makeToken(await open(await makeLink(max.headers, yao.id)));
    const make = () => ask('POST', '/api/members', token, { email: `late-${made}@example.com`, role: 'admin' });
    const { members } = stage.app.teams;
    const { address } = await members.makeLink(await members.get(team.team.id, max.id), COMMAND_LINE);
    const [invited] = await runTogether(stage.app.database, 'sign_in_links', [make, () => open(address)]);
    assert.equal(invited.statusCode, 201, invited.body);
    assert.equal((await ask('POST', new URL(invited.json().signInLink).pathname, {})).statusCode, 410);
  });

  test('is signed out there when the operator ends their sessions', async () => {
    const { team, max, yao } = await prepare();
    const asYao = await open(await makeLink(max.headers, yao.id));
    const [token, maxesOwn] = [await makeToken(asYao), await makeToken(max.headers)];
    const { link } = await invite(max.headers, `later-${made}@example.com`);
    const ended = await stage.app.teams.sessions.endAll({ email: max.email, teamId: team.team.id }, COMMAND_LINE);
    assert.deepEqual(ended, { own: 1, handed: 1 });
    for (const headers of [asYao, token]) assert.equal(await statusOf(headers), 401);
    assert.equal(await statusOf(maxesOwn), 200);
    assert.equal((await ask('POST', new URL(link).pathname, {})).statusCode, 410);
    assert.equal(await statusOf(yao.headers), 200);
    const { endedWithTheirLinks } = await lastDetail(team, 'session.end_all');
    assert.deepEqual(endedWithTheirLinks, { sessions: 1, tokens: 1, links: 1 });
  });

  for (const links of [true, false])
    test(`${links ? 'is signed out there' : 'stays there if they like'} when they end all their other sessions`, async () => {
      const { team, max, yao } = await prepare();
      const asYao = await open(await makeLink(max.headers, yao.id));
      const { link } = await invite(max.headers, `later-${made}@example.com`);
      const { pathname } = new URL(link);
      const home = await open(await makeLink(yao.headers, max.id));
      const page = await ask('GET', '/settings/sessions', home);
      assert.match(page.body, /name="links" value="on" checked/);
      await endOthers(home, { links });
      assert.equal(await statusOf(max.headers), 401);
      assert.equal(await statusOf(asYao), links ? 401 : 200);
      assert.equal((await ask('POST', pathname, {})).statusCode, links ? 410 : 303);
      for (const headers of [home, yao.headers]) assert.equal(await statusOf(headers), 200);
      const detail = links ? { ended: 1, endedWithTheirLinks: { sessions: 1, links: 1 } } : { ended: 1 };
      assert.deepEqual(await lastDetail(team, 'session.end_others'), detail);
    });

  test('stays signed in where they end all other sessions, even if that session came through their own link', async () => {
    const { max, yao } = await prepare();
    const asYao = await open(await makeLink(max.headers, yao.id));
    const home = await open(await makeLink(asYao, max.id));
    await endOthers(home, { links: true });
    assert.deepEqual([await statusOf(max.headers), await statusOf(asYao), await statusOf(home)], [401, 401, 200]);
  });

  test('keeps nothing of it once the person in whose name it was made has proven their address', async () => {
    const { team, owner, yao } = await prepare();
    const zoe = await invite(owner, `zoe-${made}@example.com`);
    const zoesOwn = await open(zoe.link);
    const asZoe = await open(await makeLink(yao.headers, zoe.id));
    const token = await makeToken(asZoe);
    const unused = await makeLink(yao.headers, zoe.id);
    const ghost = await invite(yao.headers, `ghost-${made}@example.com`);
    const spare = await invite(asZoe, `spare-${made}@example.com`);

    const { members } = stage.app.teams;
    const proving = await members.makeLink(await members.get(team.team.id, yao.id), COMMAND_LINE);
    const yaosOwn = await open(proving.address);
    for (const headers of [yao.headers, asZoe, token]) assert.equal(await statusOf(headers), 401);
    for (const link of [unused, ghost.link, spare.link])
      assert.equal((await ask('POST', new URL(link, 'http://localhost').pathname, {})).statusCode, 410);
    for (const headers of [owner, zoesOwn, yaosOwn]) assert.equal(await statusOf(headers), 200);
    assert.deepEqual(await lastDetail(team, 'member.reclaim'), {
      sessions: 1,
      tokens: 0,
      endedWithTheirLinks: { sessions: 1, tokens: 1, links: 3 },
    });

    const later = await invite(yaosOwn, `later-${made}@example.com`);
    await open((await members.makeLink(await members.get(team.team.id, yao.id), COMMAND_LINE)).address);
    assert.equal(await statusOf(await open(later.link)), 200, 'What is made after the proof stays.');
  });
});
