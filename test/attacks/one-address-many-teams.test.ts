import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { before, test } from 'node:test';
import type { Engine } from '../../src/platform/index.ts';
import { userCommands } from '../../src/teams/commands/user-commands.ts';
import { COMMAND_LINE, getUser, holderOf } from '../../src/teams/index.ts';
import { insertUser } from '../../src/teams/records/user-store.ts';
import { createTestApp, createTestClock, SECRETS, type TestApp } from '../harness/app.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { runTogether } from '../harness/run-together.ts';
import { cookieFrom, makeLinkPath, readCsrfToken } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

type Team = Awaited<ReturnType<TestApp['createTeam']>>;
type Invited = { member: { id: string; role: string }; signInLink: string };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** Two teams of one service that mails, and what people do there. */
const openTeams = (engine: Engine) => {
  const clock = createTestClock();
  const mail = useStage(() => startMailServer());
  const stage = useStage(() => {
    const env = { SMTP_URL: mail.url, MAIL_FROM: 'Patchbay <pb@example.com>' };
    return createTestApp(engine, { env, clock });
  });
  const ours = prepare(() => stage.createTeam('ours'));
  const theirs = prepare(() => stage.createTeam('theirs'));

  before(async () => {
    await stage.app.jobs.start();
  });

  const invite = async (team: Team, email: string): Promise<Invited> => {
    const payload = { email };
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/api/members',
      headers: team.admin.headers,
      payload,
    });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json();
  };

  const get = (url: string, cookie: string) => stage.server.inject({ url, headers: { cookie, accept: 'text/html' } });

  const postForm = (url: string, cookie: string, form: Record<string, string> = {}) =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    });

  const signIn = async (link: string, cookie = '') => {
    const answer = await postForm(new URL(link, 'http://localhost:3000').pathname, cookie);
    assert.equal(answer.statusCode, 303, answer.body);
    return {
      cookie: cookieFrom(answer.headers['set-cookie'], 'patchbay_session'),
      location: String(answer.headers.location),
    };
  };

  /** The link in the newest email to this address whose subject starts like this and that names the team. */
  const mailedLink = async (to: string, subject: string, team = ''): Promise<string> => {
    const found = () =>
      mail.received.findLast(
        ({ to: reached, raw }) => reached.includes(to) && raw.includes(`Subject: ${subject}`) && raw.includes(team),
      );
    await waitUntil(`a mail to ${to}`, () => found() !== undefined);
    const text = found()
      ?.raw.replace(/=\r?\n/g, '')
      .replaceAll('=3D', '=');
    return /http:\/\/localhost:3000(\/sign-in\/\S+)/.exec(text ?? '')?.[1] ?? assert.fail('The mail holds no link.');
  };

  const askForLink = async (email: string): Promise<string> => {
    mail.received.length = 0;
    const asked = await postForm('/sign-in', '', { email });
    assert.equal(asked.statusCode, 200, asked.body);
    return mailedLink(email, 'Your Patchbay sign-in link');
  };

  const switchTo = async (cookie: string, teamId: string) =>
    postForm('/teams/switch', cookie, { team: teamId, _csrf: readCsrfToken((await get('/', cookie)).body) });

  const teamOf = async (cookie: string): Promise<string> =>
    (await stage.server.inject({ url: '/api/team', headers: { cookie } })).json().team?.id;

  const countSessions = async (email: string): Promise<number> =>
    (
      await stage.app.database.all('select s.id from sessions s join users u on u.id = s.user_id where u.email = $1', [
        email,
      ])
    ).length;

  /** Signs the owner of the address in by mail, to the given team. No time passes after `onMail`. */
  const proveIn = async (email: string, team: Team, onMail?: () => Promise<void>): Promise<string> => {
    clock.advance(MINUTE_MS);
    const link = await askForLink(email);
    await onMail?.();
    const { cookie } = await signIn(link);
    if ((await teamOf(cookie)) === team.team.id) return cookie;
    return cookieFrom((await switchTo(cookie, team.team.id)).headers['set-cookie'], 'patchbay_session');
  };

  const sessionIdOf = async (cookie: string): Promise<string> => {
    const { sessions } = (await stage.server.inject({ url: '/api/sessions', headers: { cookie } })).json();
    return sessions.find((one: { current: boolean }) => one.current).id;
  };

  const listSessionIds = async (cookie: string): Promise<string[]> =>
    (await stage.server.inject({ url: '/api/sessions', headers: { cookie } }))
      .json()
      .sessions.map(({ id }: { id: string }) => id)
      .sort();

  const endOthers = async (cookie: string) =>
    postForm('/settings/sessions/end-others', cookie, { _csrf: readCsrfToken((await get('/', cookie)).body) });

  const endSession = async (cookie: string, id: string) =>
    postForm(`/settings/sessions/${id}/end`, cookie, { _csrf: readCsrfToken((await get('/', cookie)).body) });

  /** The operator's command. Before its own transaction, which is the next one, does what a stranger would. */
  const signOut = async (email: string, before: () => Promise<unknown> = async () => undefined) => {
    const { database } = stage.app;
    const { transaction } = database;
    const followed: typeof transaction = async (work) => {
      Object.assign(database, { transaction });
      await before();
      return transaction(work);
    };
    const command = userCommands(async () => stage.app).find(({ name }) => name === 'user sign-out');
    assert.ok(command);
    Object.assign(database, { transaction: followed });
    return (await command.run({ words: [email], options: {}, json: true, progress: () => undefined })).json;
  };

  const slipIn = async (email: string, join: (lost: string, csrf: string, link: string) => Promise<unknown>) => {
    await invite(ours, email);
    const home = await proveIn(email, ours);
    const lost = await proveIn(email, ours);
    const csrf = readCsrfToken((await get('/', lost)).body);
    const { database } = stage.app;
    const { transaction } = database;
    // What a stranger does isn't part of the transaction.
    const apart = AsyncLocalStorage.snapshot();
    let joining: Promise<unknown> | undefined;
    const begin = async (): Promise<void> => {
      joining = apart(() => invite(theirs, email).then(({ signInLink }) => join(lost, csrf, signInLink)));
      // On SQLite, there is only one writer at a time, so all of this waits in any case.
      if (engine === 'sqlite') return;
      const sql = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const waits = async (): Promise<boolean> => (await database.all(sql)).length > 0;
      await Promise.race([joining, apart(() => waitUntil('it waits', waits))]);
    };
    const held: typeof transaction = (work) => {
      Object.assign(database, { transaction });
      return transaction(async (tx) => {
        const all: typeof tx.all = async (sql, values) => {
          const rows = await tx.all<never>(sql, values);
          if (!joining && sql.includes('for update')) await begin();
          return rows;
        };
        return work(Object.assign(Object.create(tx), { all }));
      });
    };
    const own = { _csrf: readCsrfToken((await get('/', home)).body) };
    Object.assign(database, { transaction: held });
    await postForm('/settings/sessions/end-others', home, own);
    await joining;
    // The invitation still opens a session, but one that leads to no other team.
    const sql = `select s.id from sessions s join users u on u.id = s.user_id where u.email = $1 and s.proves_address = 1`;
    assert.equal((await database.all(sql, [email])).length, 1);
  };

  const countUnusedLinks = async (email: string): Promise<number> =>
    (
      await stage.app.database.all(
        'select l.id from sign_in_links l join users u on u.id = l.user_id where u.email = $1 and l.used_at is null',
        [email],
      )
    ).length;

  const makeToken = async (cookie: string): Promise<Record<string, string>> => {
    const csrf = readCsrfToken((await get('/', cookie)).body);
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: { cookie, 'x-csrf-token': csrf },
      payload: { name: 'kept by the inviter' },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    return { authorization: `Bearer ${answer.json().token}` };
  };

  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await stage.server.inject({ url: '/api/team', headers })).statusCode;

  return {
    clock,
    mail,
    stage,
    ours,
    theirs,
    invite,
    get,
    postForm,
    signIn,
    mailedLink,
    askForLink,
    switchTo,
    teamOf,
    countSessions,
    proveIn,
    sessionIdOf,
    listSessionIds,
    endOthers,
    endSession,
    signOut,
    slipIn,
    countUnusedLinks,
    makeToken,
    statusWith,
  };
};

onOneEngine('an address known to two teams', (engine) => {
  const {
    clock,
    stage,
    ours,
    theirs,
    invite,
    get,
    postForm,
    signIn,
    mailedLink,
    askForLink,
    switchTo,
    teamOf,
    proveIn,
    sessionIdOf,
    listSessionIds,
    endOthers,
    endSession,
  } = openTeams(engine);

  test('is invited by each of them, and neither learns about the other', async () => {
    const email = 'wanted@example.com';
    const first = await invite(theirs, email);
    const second = await invite(ours, email);
    assert.notEqual(first.member.id, second.member.id);
    await signIn(second.signInLink);
    const again = await invite(theirs, email);
    assert.equal(again.member.id, first.member.id, 'Whoever came to another team is still only invited to this one.');
    const { member, signInLink, ...rest } = await invite(theirs, 'unheard-of@example.com');
    assert.deepEqual(Object.keys(again).sort(), ['member', 'signInLink', ...Object.keys(rest)].sort());
    assert.deepEqual(Object.keys(again.member).sort(), Object.keys(member).sort());
    assert.ok(signInLink);
  });

  test('gives its inviter no way into the other team, nor the team’s name', async () => {
    const email = ours.admin.user.email ?? '';
    const { cookie, location } = await signIn((await invite(theirs, email)).signInLink);
    assert.equal(location, '/');
    assert.equal(await teamOf(cookie), theirs.team.id);
    for (const path of ['/', '/teams', '/settings/sessions'])
      assert.ok(!(await get(path, cookie)).body.includes(ours.team.id), `${path} names the other team`);
    assert.equal((await switchTo(cookie, ours.team.id)).statusCode, 404);
    assert.equal(await teamOf(cookie), theirs.team.id);
  });

  test('gives an admin who makes a sign-in link for a member of their own no way into the other team', async () => {
    const email = ours.member.user.email ?? '';
    const { member, signInLink } = await invite(theirs, email);
    await signIn(signInLink);
    const { cookie: adminCookie } = await signIn(await makeLinkPath(stage, theirs.admin.user));
    const makeLink = async () =>
      postForm(`/settings/members/${member.id}/link`, adminCookie, {
        _csrf: readCsrfToken((await get('/settings', adminCookie)).body),
      });
    const link = /\/sign-in\/[\w-]+/.exec((await makeLink()).body)?.[0] ?? assert.fail('There is no link.');
    const { cookie, location } = await signIn(link);
    assert.equal(location, '/');
    for (const path of ['/', '/teams', '/settings/sessions'])
      assert.ok(!(await get(path, cookie)).body.includes(ours.team.id), `${path} names the other team`);
    assert.equal((await switchTo(cookie, ours.team.id)).statusCode, 404);
    assert.equal(await teamOf(cookie), theirs.team.id);
    // The owner comes, and everything that was done as them is over.
    const owner = await signIn(await askForLink(email));
    assert.equal((await switchTo(owner.cookie, theirs.team.id)).statusCode, 303);
    assert.equal(await teamOf(cookie), undefined);
    assert.equal((await makeLink()).statusCode, 409);
  });

  test('opens no other team to a session that began before the operator changed to it', async () => {
    const email = 'moving@example.com';
    const { member } = await invite(ours, email);
    const { cookie } = await signIn(await askForLink(email));
    const user = (await getUser(stage.app.database, ours.team.id, member.id)) ?? assert.fail('There is no such user.');
    const members = stage.app.teams.members;
    const victim = theirs.member.user.email ?? '';
    await assert.rejects(members.changeEmail(user, COMMAND_LINE, ours.admin.user.email ?? ''), /already a member/);
    await members.changeEmail(user, COMMAND_LINE, victim);
    assert.equal(await teamOf(cookie), ours.team.id);
    assert.ok(!(await get('/', cookie)).body.includes(theirs.team.id));
    assert.equal((await switchTo(cookie, theirs.team.id)).statusCode, 404);
  });

  test('lets its owner, signing in by email, choose a team, reach the intended page, and switch on every page', async () => {
    const email = 'owner@example.com';
    await signIn((await invite(ours, email)).signInLink);
    await signIn((await invite(theirs, email)).signInLink);
    const wanted = 'patchbay_return=%2Fcalls%3Foutcome%3Dmissed';
    const { cookie, location } = await signIn(await askForLink(email), wanted);
    assert.equal(location, '/teams');
    const page = await get('/teams', cookie);
    assert.equal(page.statusCode, 200);
    for (const { team } of [ours, theirs]) assert.ok(page.body.includes(`value="${team.id}"`), team.name);
    const form = { team: ours.team.id, _csrf: readCsrfToken(page.body) };
    const chosen = await postForm('/teams/switch', `${cookie}; ${wanted}`, form);
    assert.equal(chosen.statusCode, 303, chosen.body);
    assert.equal(chosen.headers.location, '/calls?outcome=missed');
    let current =
      (await teamOf(cookie)) === ours.team.id ? cookie : cookieFrom(chosen.headers['set-cookie'], 'patchbay_session');
    assert.equal(await teamOf(current), ours.team.id);

    for (const path of [
      '/',
      '/integrations',
      '/calls',
      '/reports',
      '/agents',
      '/settings',
      '/settings/members',
      '/settings/tokens',
    ])
      assert.ok((await get(path, current)).body.includes(`value="${theirs.team.id}"`), `${path} offers no other team`);
    await stage.app.database.run("update sessions set device = 'Safari on iPhone'");
    const switched = await switchTo(current, theirs.team.id);
    assert.equal(switched.statusCode, 303, switched.body);
    const before = current;
    current = cookieFrom(switched.headers['set-cookie'], 'patchbay_session');
    assert.equal(await teamOf(current), theirs.team.id);
    assert.equal(await teamOf(before), undefined, 'The session of the other team has ended.');
    const [newest] = JSON.parse((await get('/api/sessions', current)).body).sessions;
    assert.equal(newest.device, 'Safari on iPhone', 'It is still on the same device.');
    assert.match((await get('/settings/tokens', current)).body, /<title>Access tokens · Settings · theirs · Patchbay</);
    clock.advance(30 * DAY_MS);
    assert.equal(await teamOf(current), undefined, 'Switching makes no session longer.');
  });

  test('lets its owner open an invitation while signed in to another team, go there, and come back', async () => {
    const email = 'guest@example.com';
    await invite(ours, email);
    const home = await signIn(await mailedLink(email, "You're invited"));
    assert.equal(home.location, '/');
    const { signInLink } = await invite(theirs, email);
    const { cookie, location } = await signIn(signInLink, home.cookie);
    assert.equal(location, '/');
    assert.equal(await teamOf(cookie), theirs.team.id);
    assert.equal((await switchTo(cookie, ours.team.id)).statusCode, 303);
  });

  test('cannot switch to a team that removed it or never invited it, or without the form’s token', async () => {
    const email = 'leaver@example.com';
    await invite(ours, email);
    const { member } = await invite(theirs, email);
    const { cookie } = await signIn(await askForLink(email));
    const here = await teamOf(cookie);
    const away = here === ours.team.id ? theirs : ours;
    const bare = await postForm('/teams/switch', cookie, { team: away.team.id });
    assert.equal(bare.statusCode, 403);
    const { team: uninvolved } = await stage.createTeam(`uninvolved-${engine}`);
    assert.equal((await switchTo(cookie, uninvolved.id)).statusCode, 404);
    const rows = await stage.app.database.all<{ id: string; teamId: string }>(
      'select id, team_id as "teamId" from users where email = $1',
      [email],
    );
    const id = rows.find(({ teamId }) => teamId === away.team.id)?.id ?? member.id;
    const url = `/api/members/${id}`;
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers: away.admin.headers })).statusCode, 204);
    assert.equal((await switchTo(cookie, away.team.id)).statusCode, 404);
    assert.equal(await teamOf(cookie), here);
  });

  test('is no way in for users who only have it according to the operator’s product or an identity provider', async () => {
    const email = 'label@example.com';
    const labels = await stage.createTeam(`labels-${engine}`);
    const { database, newId } = stage.app;
    const named = { teamId: labels.team.id, email, name: null, role: 'admin', source: 'operator' } as const;
    const ids = ['operator', 'https://id.example.com'].map((issuer) => ({ id: newId(), issuer }));
    for (const { id, issuer } of ids)
      await insertUser(database, { ...named, id, createdAt: 1, signedInAt: null }, { issuer, subject: 'u-1' });
    await invite(ours, email);
    const { cookie, location } = await signIn(await askForLink(email));
    assert.deepEqual([await teamOf(cookie), location], [ours.team.id, '/'], 'There is no other team to choose.');
    assert.equal((await switchTo(cookie, labels.team.id)).statusCode, 404);
    const { member } = await invite(labels, email);
    assert.ok(!ids.some(({ id }) => id === member.id), 'Whoever is invited is somebody else.');
    assert.equal((await switchTo(cookie, labels.team.id)).statusCode, 303);
  });

  test('cannot have its email invitations used up by another team', async () => {
    const email = 'crowded@example.com';
    for (let time = 0; time < 7; time++) await invite(theirs, email);
    assert.equal(((await invite(ours, email)) as Invited & { mailed: boolean }).mailed, true);
  });

  test('lets an owner who lost a device see and end its session, even after switching teams', async () => {
    const email = 'robbed@example.com';
    await invite(ours, email);
    const guest = await invite(theirs, email);
    const one = await proveIn(email, theirs);
    const another = await proveIn(email, theirs);
    const home = await proveIn(email, ours);
    const expected = await Promise.all([one, another, home].map(sessionIdOf));
    assert.deepEqual(await listSessionIds(home), expected.sort());

    const lostId = await sessionIdOf(one);
    assert.equal((await endSession(home, lostId)).statusCode, 303);
    assert.equal(await teamOf(one), undefined);
    assert.equal(await teamOf(another), theirs.team.id);
    assert.equal((await endOthers(home)).statusCode, 303);
    assert.equal(await teamOf(another), undefined);
    assert.equal(await teamOf(home), ours.team.id);

    const entries = await stage.app.database.all<{ action: string }>(
      `select action from audit_events where team_id = $1 and actor_id = $2
        and (target = $3 or action = 'session.end_others') order by action`,
      [theirs.team.id, guest.member.id, lostId],
    );
    const actions = entries.map(({ action }) => action);
    assert.deepEqual(actions, ['session.end', 'session.end_others'], 'The team whose session it was reads of it.');
  });

  test('has its sessions in another team neither shown to nor ended by someone who has not proven it', async () => {
    const email = 'admired@example.com';
    await invite(ours, email);
    const home = await proveIn(email, ours);
    const { cookie } = await signIn((await invite(theirs, email)).signInLink);
    const own = await sessionIdOf(cookie);
    assert.deepEqual(await listSessionIds(cookie), [own]);
    assert.equal((await endSession(cookie, await sessionIdOf(home))).statusCode, 404);
    await endOthers(cookie);
    assert.equal(await teamOf(home), ours.team.id);
    assert.ok(!(await listSessionIds(home)).includes(own), 'A session that proves nothing stays in its team.');
    await endOthers(home);
    assert.equal(await teamOf(cookie), theirs.team.id);
  });

  test('does not stay proven longer by opening invitations', async () => {
    const email = 'forever@example.com';
    await invite(ours, email);
    const home = await proveIn(email, ours);
    clock.advance(20 * DAY_MS);
    const { cookie } = await signIn((await invite(theirs, email)).signInLink, home);
    assert.equal(await teamOf(home), undefined, 'The session that gave the proof is traded, not copied.');
    clock.advance(9 * DAY_MS);
    assert.equal(await teamOf(cookie), theirs.team.id);
    clock.advance(DAY_MS);
    assert.equal(await teamOf(cookie), undefined);
  });

  test('is mailed a link to the team that knew it first, whoever has signed in as it since', async () => {
    const email = 'unproved@example.com';
    await invite(ours, email);
    clock.advance(MINUTE_MS);
    await signIn((await invite(theirs, email)).signInLink);
    const { cookie } = await signIn(await askForLink(email));
    assert.equal(await teamOf(cookie), ours.team.id);
  });
});

onEachEngine('an address known to two teams, used at the same moment', (engine) => {
  const {
    clock,
    stage,
    ours,
    theirs,
    invite,
    get,
    postForm,
    signIn,
    mailedLink,
    askForLink,
    switchTo,
    teamOf,
    countSessions,
    proveIn,
    endOthers,
    signOut,
    slipIn,
    countUnusedLinks,
    makeToken,
    statusWith,
  } = openTeams(engine);

  test('is a member of a team once, even if invited twice at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => invite(ours, 'at-once@example.com').catch(() => null)));
    const ids = new Set(answers.flatMap((answer) => (answer ? [answer.member.id] : [])));
    assert.equal(ids.size, 1);
  });

  test('ends what a stranger did with it by mistake, once its owner has signed in', async () => {
    const email = 'mistaken@example.com';
    const { member } = await invite(ours, email);
    await signIn(await askForLink(email));
    const find = async () =>
      (await getUser(stage.app.database, ours.team.id, member.id)) ?? assert.fail('There is no such user.');
    const { members, tokens } = stage.app.teams;
    const ofStranger = 'stranger@example.com';
    await invite(theirs, ofStranger);
    const stranger = await signIn(await askForLink(ofStranger));
    await members.changeEmail(await find(), COMMAND_LINE, ofStranger);
    const switched = await switchTo(stranger.cookie, ours.team.id);
    assert.equal(switched.statusCode, 303);
    const cookie = cookieFrom(switched.headers['set-cookie'], 'patchbay_session');
    const made = await postForm('/settings/tokens', cookie, {
      name: 'kept',
      expiresInDays: '30',
      _csrf: readCsrfToken((await get('/settings/tokens', cookie)).body),
    });
    const token = /pb_[\w-]+/.exec(made.body)?.[0] ?? assert.fail(made.body);
    const ofOperator = await tokens.create(holderOf(await find()), COMMAND_LINE, { name: 'script' });
    const statusWith = async (bearer: string) =>
      (await stage.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${bearer}` } })).statusCode;
    await members.changeEmail(await find(), COMMAND_LINE, email);
    assert.equal(await teamOf(cookie), ours.team.id, 'Nobody knows yet whose session it is.');
    await signIn(await askForLink(email));
    assert.equal(await teamOf(cookie), undefined);
    assert.deepEqual([await statusWith(token), await statusWith(ofOperator.token)], [401, 200]);
  });

  test('makes one of many simultaneous switches work, and leaves one session', async () => {
    const email = 'hasty@example.com';
    await invite(ours, email);
    await invite(theirs, email);
    const { cookie } = await signIn(await askForLink(email));
    const away = (await teamOf(cookie)) === ours.team.id ? theirs : ours;
    const form = { team: away.team.id, _csrf: readCsrfToken((await get('/', cookie)).body) };
    const answers = await Promise.all(Array.from({ length: 5 }, () => postForm('/teams/switch', cookie, form)));
    assert.equal(answers.filter(({ statusCode }) => statusCode === 303).length, 1);
    assert.equal(await countSessions(email), 1);
  });

  test('switches to one of two teams that are chosen at the same moment', async () => {
    const email = 'undecided@example.com';
    const third = await stage.createTeam(`third-${engine}`);
    for (const team of [ours, theirs, third]) await invite(team, email);
    const { cookie } = await signIn(await askForLink(email));
    const here = await teamOf(cookie);
    const [one, other] = [ours, theirs, third].filter(({ team }) => team.id !== here);
    const _csrf = readCsrfToken((await get('/', cookie)).body);
    const switchNow = (team: Team | undefined) => () =>
      postForm('/teams/switch', cookie, { team: team?.team.id ?? '', _csrf });
    const both = [switchNow(one), switchNow(other)] as const;
    const [first] = await runTogether(stage.app.database, 'sessions', both);
    assert.equal(first.statusCode, 303);
    assert.equal(await countSessions(email), 1);
  });

  test('leaves no session behind that switches teams while its owner ends all others', async () => {
    const email = 'raced@example.com';
    await invite(ours, email);
    await invite(theirs, email);
    const home = await proveIn(email, ours);
    const lost = await proveIn(email, ours);
    const form = { team: theirs.team.id, _csrf: readCsrfToken((await get('/', lost)).body) };
    await Promise.all([postForm('/teams/switch', lost, form), endOthers(home)]);
    assert.equal(await countSessions(email), 1);
  });

  test('leaves no session behind that comes to the team of its owner, who has just begun to end all others', async () => {
    const email = 'followed@example.com';
    await invite(ours, email);
    await invite(theirs, email);
    const home = await proveIn(email, ours);
    const lost = await proveIn(email, theirs);
    const form = { team: ours.team.id, _csrf: readCsrfToken((await get('/', lost)).body) };
    const both = [() => postForm('/teams/switch', lost, form), () => endOthers(home)] as const;
    for (const { statusCode } of await runTogether(stage.app.database, 'sessions', both)) assert.equal(statusCode, 303);
    assert.equal(await countSessions(email), 1);
    assert.equal(await teamOf(home), ours.team.id);
  });

  test('leaves no session behind that switches teams while the operator signs its owner out', async () => {
    const email = 'hopping@example.com';
    await invite(ours, email);
    await invite(theirs, email);
    const lost = await proveIn(email, theirs);
    const form = { team: ours.team.id, _csrf: readCsrfToken((await get('/', lost)).body) };
    const { database } = stage.app;
    // The command finds the team where the address was proven last first.
    await database.run('update users set proved_at = proved_at - 1 where email = $1 and team_id = $2', [
      ...[email, theirs.team.id],
    ]);
    await database.run('update users set proved_at = $3 where email = $1 and team_id = $2', [
      ...[email, ours.team.id, clock.now()],
    ]);
    const { transaction } = database;
    const switchAfter: typeof transaction = async (work) => {
      Object.assign(database, { transaction });
      const result = await transaction(work);
      await postForm('/teams/switch', lost, form);
      return result;
    };
    const signOut = userCommands(async () => stage.app).find(({ name }) => name === 'user sign-out');
    assert.ok(signOut);
    Object.assign(database, { transaction: switchAfter });
    const { json } = await signOut.run({ words: [email], options: {}, json: true, progress: () => undefined });
    assert.deepEqual([json, await countSessions(email)], [{ ended: 1, handed: 0 }, 0]);
  });

  test('leaves no session behind in a team that it joins while the operator signs its owner out', async () => {
    const email = 'joining@example.com';
    await invite(ours, email);
    const lost = await proveIn(email, ours);
    const form = { team: theirs.team.id, _csrf: readCsrfToken((await get('/', lost)).body) };
    const ended = await signOut(email, async () => {
      await invite(theirs, email);
      assert.equal((await postForm('/teams/switch', lost, form)).statusCode, 303);
    });
    assert.deepEqual([ended, await countSessions(email)], [{ ended: 1, handed: 0 }, 0]);
  });

  test('leaves no session behind that switches to a team it is just added to, while others are ended', () =>
    slipIn('slipping@example.com', (lost, _csrf) => postForm('/teams/switch', lost, { team: theirs.team.id, _csrf })));

  test('leaves no session behind that opens an invitation that was just made, while others are ended', async () => {
    await slipIn('sliding@example.com', async (lost, _csrf, link) => signIn(link, lost));
  });

  test('is signed out of all its teams by the operator, however many there are', async () => {
    const email = 'everywhere@example.com';
    const { app } = stage;
    for (let index = 0; index <= 100; index++) {
      const { team } = await stage.createTeam(`of-many-${index}`);
      const named = { teamId: team.id, email, name: null, key: null, role: 'member', source: 'patchbay' } as const;
      const user = { ...named, id: app.newId(), createdAt: clock.now() + index, signedInAt: null };
      await insertUser(app.database, user, null);
      if (index === 100) await signIn(await makeLinkPath(stage, user));
    }
    assert.deepEqual([await signOut(email), await countSessions(email)], [{ ended: 1, handed: 0 }, 0]);
  });

  test('stays signed in where it is if it is removed from the other team while it switches there', async () => {
    const email = 'too-late@example.com';
    await invite(ours, email);
    const { member } = await invite(theirs, email);
    const home = await proveIn(email, ours);
    const form = { team: theirs.team.id, _csrf: readCsrfToken((await get('/', home)).body) };
    const url = `/api/members/${member.id}`;
    const remove = async () => stage.server.inject({ method: 'DELETE', url, headers: theirs.admin.headers });
    const [removed, switched] = await runTogether(stage.app.database, 'users', [
      remove,
      () => postForm('/teams/switch', home, form),
    ]);
    assert.deepEqual([removed.statusCode, switched.statusCode], [204, 404]);
    assert.equal(await teamOf(home), ours.team.id);
    assert.equal(await countSessions(email), 1);
  });

  test('has no link left over that is made for an email while its owner signs in', async () => {
    const email = 'impatient@example.com';
    const { member } = await invite(ours, email);
    await mailedLink(email, "You're invited");
    const user = (await getUser(stage.app.database, ours.team.id, member.id)) ?? assert.fail('There is no such user.');
    const path = await makeLinkPath(stage, user);
    await runTogether(stage.app.database, 'sign_in_links', [() => askForLink(email), () => signIn(path)]);
    assert.equal(await countUnusedLinks(email), 0);
  });

  test('is proven once, even if two invitations are opened at the same moment', async () => {
    const email = 'twice@example.com';
    const third = await stage.createTeam(`third-${engine}`);
    await invite(ours, email);
    const home = await proveIn(email, ours);
    const links = [(await invite(theirs, email)).signInLink, (await invite(third, email)).signInLink];
    await Promise.all(links.map((link) => signIn(link, home)));
    const proving = await stage.app.database.all(
      'select s.id from sessions s join users u on u.id = s.user_id where u.email = $1 and s.proves_address = 1',
      [email],
    );
    assert.equal(proving.length, 1);
  });

  test("leaves what was made with the operator's own token to the operator", async () => {
    const headers = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers,
      payload: { name: 'set-up' },
    });
    assert.equal(made.statusCode, 201, made.body);
    const row = await stage.app.database.get<{ byOperator: number }>(
      'select by_operator as "byOperator" from access_tokens where id = $1',
      [made.json().id],
    );
    assert.equal(row?.byOperator, 1);
  });

  for (const way of ['by mail', 'by switching'] as const)
    test(`takes away from its inviter what they created as it, when its owner arrives ${way}`, async () => {
      const email = `${way.replace(' ', '-')}@example.com`;
      const { member, signInLink } = await invite(theirs, email);
      const inviter = await signIn(signInLink);
      const token = await makeToken(inviter.cookie);
      const user = await getUser(stage.app.database, theirs.team.id, member.id);
      assert.ok(user);
      const made = await stage.app.teams.tokens.create(holderOf(user), COMMAND_LINE, { name: 'by the operator' });
      const second = await makeLinkPath(stage, user);
      const operators = { authorization: `Bearer ${made.token}` };
      const expectAllIn = async (): Promise<void> => {
        for (const headers of [{ cookie: inviter.cookie }, token, operators])
          assert.equal(await statusWith(headers), 200);
      };

      if (way === 'by switching') {
        await invite(ours, email);
        await signIn(await mailedLink(email, "You're invited", 'ours'));
      }
      const owner = await proveIn(email, theirs, expectAllIn);
      assert.equal(await statusWith({ cookie: inviter.cookie }), 401);
      assert.equal(await statusWith(token), 401);
      assert.equal(await statusWith(operators), 200);
      assert.equal((await postForm(second, '')).statusCode, 410);
      const entries = await stage.app.database.all<{ detail: string }>(
        "select detail from audit_events where team_id = $1 and target = $2 and action = 'member.reclaim'",
        [theirs.team.id, member.id],
      );
      assert.deepEqual(
        entries.map(({ detail }) => JSON.parse(detail)),
        [{ sessions: 1, tokens: 1 }],
      );

      const own = await makeToken(owner);
      await proveIn(email, theirs);
      assert.equal(await statusWith(own), 200, 'What the owner made stays.');
    });
});
