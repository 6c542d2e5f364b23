import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { getTeam, type User } from '../../src/teams/index.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { cookieFrom, makeLinkPath, openSession, type Session } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PAGES = ['', '/members', '/tokens', '/sessions', '/endpoints', '/report', '/alerts', '/audit'];
const NOBODYS = '01900000-0000-7000-8000-000000000000';

describe('the settings pages', () => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp('sqlite', { clock }));
  const acme = prepare(() => stage.createTeam('acme'));
  const admin = prepare(() => openSession(stage, acme.admin.user));
  const member = prepare(() => openSession(stage, acme.member.user));

  const open = async ({ headers }: Session, path: string, status = 200): Promise<string> => {
    const { statusCode, body, headers: answered } = await stage.server.inject({ url: `/settings${path}`, headers });
    assert.equal(statusCode, status, `${path}: ${body}`);
    assert.match(String(answered['content-type']), /^text\/html/);
    return body;
  };

  const post = ({ headers, csrfToken }: Session, path: string, form: Record<string, string> = {}) =>
    stage.server.inject({
      method: 'POST',
      url: `/settings${path}`,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken, ...form }).toString(),
    });

  /** A form that succeeds leads to a page that says so. */
  const expectDone = async (session: Session, path: string, form: Record<string, string>, says: RegExp) => {
    const answer = await post(session, path, form);
    assert.equal(answer.statusCode, 303, `${path}: ${answer.body}`);
    assert.match(await open(session, String(answer.headers.location).replace('/settings', '')), says);
  };

  /** A form that is refused comes back with the reason and with what was typed. */
  const expectRefused = async (
    session: Session,
    path: string,
    form: Record<string, string>,
    status: number,
    ...says: RegExp[]
  ) => {
    const { statusCode, body } = await post(session, path, form);
    assert.equal(statusCode, status, `${path}: ${body}`);
    for (const words of says) assert.match(body, words);
  };

  const newcomer = async (email: string): Promise<User> => {
    const { statusCode, body } = await post(admin, '/members', { email, name: '', role: 'member' });
    assert.equal(statusCode, 200, body);
    const user = await stage.app.database.get<User>(
      'select id, team_id as "teamId", role from users where email = $1',
      [email],
    );
    return user ?? assert.fail(`${email} is no member.`);
  };

  test('are open to every member of the team and link to one another', async () => {
    for (const session of [admin, member]) {
      for (const path of PAGES) {
        const page = await open(session, path);
        assert.match(page, new RegExp(`<a href="/settings${path}" aria-current="page">`));
        assert.match(page, path === '' ? /<title>Settings · Patchbay</ : /<title>[^·]+ · Settings · Patchbay</);
        assert.doesNotMatch(page, / style=| on\w+="/, path);
      }
    }
    assert.match(await open(admin, ''), /href="\/settings\/telephony"/);
    assert.doesNotMatch(await open(member, ''), /href="\/settings\/telephony"/);
  });

  test('are in four groups', async () => {
    const groupsOn = (page: string) =>
      [...page.matchAll(/<div><p>([^<]+)<\/p><div>((?:<a [^>]+>[^<]+<\/a>)+)<\/div>/g)].map(([, name, links = '']) => [
        name,
        [...links.matchAll(/>([^<]+)<\/a>/g)].map(([, link]) => link),
      ]);
    const others = [
      ['Notifications', ['Report', 'Alerts']],
      ['Developers', ['Access tokens', 'Endpoints']],
    ];
    const security = ['Sessions', 'Audit log'];
    const ofAdmins = [['Team', ['General', 'Members', 'Telephony']], ...others];
    assert.deepEqual(groupsOn(await open(admin, '')), [...ofAdmins, ['Security', [...security, 'Emergency stop']]]);
    assert.deepEqual(groupsOn(await open(member, '')), [
      ['Team', ['General', 'Members']],
      ...others,
      ['Security', security],
    ]);
  });

  test("don't show a member the forms for admins, and refuse them from one", async () => {
    const forms = [
      '',
      '/members',
      `/members/${acme.admin.user.id}`,
      `/members/${acme.admin.user.id}/remove`,
      '/report',
    ];
    for (const path of forms) {
      assert.equal((await post(member, path, { name: 'x' })).statusCode, 403, path);
    }
    for (const path of ['', '/members', '/report'])
      assert.doesNotMatch(await open(member, path), /<form method="post" action="\/settings/, path);
    await open(member, `/members/${acme.admin.user.id}`, 403);
  });

  test('refuse a form without its CSRF token', async () => {
    const forms = ['', '/members', '/tokens', '/sessions/end-others', '/report'];
    for (const path of forms)
      assert.equal((await post({ ...admin, csrfToken: 'guessed' }, path, {})).statusCode, 403, path);
  });

  test("treat another team's things as if they didn't exist", async () => {
    const other = await stage.createTeam('other');
    const stranger = await openSession(stage, other.admin.user);
    const [token] = await stage.app.database.all<{ id: string }>('select id from access_tokens where team_id = $1', [
      acme.team.id,
    ]);
    const [session] = await stage.app.database.all<{ id: string }>('select id from sessions where team_id = $1', [
      acme.team.id,
    ]);
    for (const id of [acme.member.user.id, NOBODYS]) {
      await open(stranger, `/members/${id}`, 404);
      await open(stranger, `/members/${id}/remove`, 404);
      await expectRefused(stranger, `/members/${id}`, { name: 'x', role: 'admin' }, 404);
      await expectRefused(stranger, `/members/${id}/remove`, {}, 404);
    }
    await open(stranger, `/tokens/${token?.id}/revoke`, 404);
    await expectRefused(stranger, `/tokens/${token?.id}/revoke`, {}, 404);
    await expectRefused(stranger, `/sessions/${session?.id}/end`, {}, 404);
    for (const path of PAGES) assert.doesNotMatch(await open(stranger, path), /acme/, path);
    await open(admin, '/sessions');
  });

  describe('for the team', () => {
    const FORM = {
      name: 'Acme & Co',
      timeZone: 'Europe/Berlin',
      recordingDays: '',
      payloadDays: '14',
      hours: 'set',
      'monday-opens-1': '09:00',
      'monday-closes-1': '12:00',
      'monday-opens-2': '13:00',
      'monday-closes-2': '00:00',
      'tuesday-opens-1': '09:00',
      'tuesday-closes-1': '17:00',
      'tuesday-closed': 'on',
    };
    const readTeam = () => getTeam(stage.app.database, acme.team.id);

    test('save business hours with a break, and show them again as typed', async () => {
      await expectDone(admin, '', FORM, /Settings saved/);
      const team = await readTeam();
      assert.equal(team?.name, 'Acme & Co');
      assert.deepEqual(team?.retention, { recordingDays: null, payloadDays: 14 });
      assert.deepEqual(team?.businessHours?.monday, [
        { opens: '09:00', closes: '12:00' },
        { opens: '13:00', closes: '24:00' },
      ]);
      assert.deepEqual(team?.businessHours?.tuesday, []);
      assert.deepEqual(team?.businessHours?.sunday, []);
      const page = await open(admin, '');
      assert.match(page, /value="Acme &amp; Co"/);
      assert.match(page, /value="Europe\/Berlin" selected/);
      assert.match(page, /name="monday-closes-2" value="00:00"/);
      assert.match(page, /name="sunday-closed" checked/);
      assert.doesNotMatch(page, /only a suggestion/);
      assert.match(await open(member, ''), /Monday<\/th><td>09:00–12:00, 13:00–00:00/);
      const inAmerica = { ...member, headers: { ...member.headers, 'accept-language': 'en-US' } };
      assert.match(await open(inAmerica, ''), /Monday<\/th><td>9:00 AM–12:00 PM, 1:00 PM–12:00 AM/);
      assert.match(page, /A number can be answered differently outside of these hours/);
    });

    test('save a team without business hours', async () => {
      const form = { name: 'acme', timeZone: 'UTC', recordingDays: '90', payloadDays: '30' };
      await expectDone(admin, '', { ...form, hours: 'none' }, /saved/);
      const team = await readTeam();
      assert.equal(team?.businessHours, null);
      assert.deepEqual(team?.retention, { recordingDays: 90, payloadDays: 30 });
    });

    test('suggest 9 to 5 on weekdays to a team without hours, and save nothing by themselves', async () => {
      const page = await open(admin, '');
      assert.match(page, /value="none" checked/);
      assert.match(page, /9 to 5 on weekdays is only a suggestion\. Nothing is saved until you save\./);
      assert.match(page, /name="friday-opens-1" value="09:00"[\s\S]*name="friday-closes-1" value="17:00"/);
      assert.match(page, /name="saturday-closed" checked/);
      assert.equal((await readTeam())?.businessHours, null);
      assert.match(await open(member, ''), /Not set/);
    });

    test('copy a day to all days without saving it, and keep what else was typed', async () => {
      const before = await readTeam();
      const { statusCode, body } = await post(admin, '', { ...FORM, name: 'Not saved', copy: 'monday' });
      assert.equal(statusCode, 200);
      assert.match(body, /Monday was copied to all days\. Nothing is saved yet\./);
      assert.match(body, /value="Not saved"/);
      for (const day of ['monday', 'tuesday', 'sunday']) {
        assert.match(body, new RegExp(`name="${day}-opens-2" value="13:00"`));
        assert.doesNotMatch(body, new RegExp(`name="${day}-closed" checked`));
      }
      const closed = await post(admin, '', { ...FORM, copy: 'tuesday' });
      assert.match(closed.body, /name="monday-closed" checked/);
      const unknown = await post(admin, '', { ...FORM, copy: 'someday' });
      assert.match(unknown.body, /name="tuesday-closed" checked/);
      assert.doesNotMatch(unknown.body, /was copied|name="monday-closed" checked/);
      assert.deepEqual(await readTeam(), before);
      assert.equal((await post(member, '', { ...FORM, copy: 'monday' })).statusCode, 403);
    });

    test('refuse business hours without a single open day, and say that an empty day is closed', async () => {
      assert.match(await open(admin, ''), /Days that you leave empty are closed/);
      const empty = { name: 'acme', timeZone: 'UTC', recordingDays: '', payloadDays: '30', hours: 'set' };
      const before = await readTeam();
      for (const typed of [{}, { 'monday-closed': 'on' }])
        await expectRefused(admin, '', { ...empty, ...typed }, 400, /All seven days are empty or closed/);
      assert.deepEqual(await readTeam(), before);
    });

    test('say what is wrong, and keep what was typed', async () => {
      const before = await readTeam();
      const refusals: [Record<string, string>, RegExp][] = [
        [{ name: ' ' }, /Your team needs a name/],
        [{ timeZone: 'Mars/Olympus' }, /Unknown time zone/],
        [{ payloadDays: 'many' }, /Original requests: enter a whole number of days/],
        [{ recordingDays: '1.5' }, /Recordings: enter a whole number of days/],
        [{ 'friday-opens-1': '09:00' }, /Friday: enter an opening and a closing time/],
        [
          {
            'friday-opens-1': '09:00',
            'friday-closes-1': '08:00',
            'sunday-opens-1': '9 am',
            'sunday-closes-1': '5 pm',
          },
          /Friday: closing time must be after opening time\. Sunday: enter[\s\S]*id="friday-flaw">Friday: closing/,
        ],
        [
          {
            'friday-opens-1': '09:00',
            'friday-closes-1': '12:00',
            'friday-opens-2': '11:00',
            'friday-closes-2': '17:00',
          },
          /Friday: the second opening time must be after the first closing time\./,
        ],
      ];
      for (const [typed, says] of refusals)
        await expectRefused(admin, '', { ...FORM, ...typed }, 400, says, /name="monday-opens-2" value="13:00"/);
      assert.deepEqual(await readTeam(), before);
    });
  });

  describe('for members', () => {
    /** Someone who was invited and has signed in. */
    const openOnce = async (email: string): Promise<User> => {
      const user = await newcomer(email);
      await openSession(stage, user);
      return user;
    };

    test('invite someone who signs in with the link, creates an access token, and uses it', async () => {
      const invited = await post(admin, '/members', { email: 'New@acme.example', name: 'Nora', role: 'member' });
      const link = /\/sign-in\/[\w-]+/.exec(invited.body)?.[0] ?? assert.fail(invited.body);
      assert.doesNotMatch(await open(admin, '/members'), /sign-in\/\w/, 'The link is shown once.');
      assert.match((await stage.server.inject({ url: link })).body, /new@acme\.example[\s\S]*acme/);
      const signedIn = await stage.server.inject({ method: 'POST', url: link });
      const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
      const home = await stage.server.inject({ url: '/', headers: { cookie } });
      const csrfToken = /name="_csrf" value="([^"]+)"/.exec(home.body)?.[1] ?? '';
      const nora = { cookie, csrfToken, headers: { cookie } };
      const form = { name: 'from the browser', expiresInDays: '30' };
      assert.equal((await post({ ...nora, csrfToken: '' }, '/tokens', form)).statusCode, 403);
      const page = await post(nora, '/tokens', form);
      const [, token, url] = /curl -H 'Authorization: Bearer (pb_[\w-]+)' (\S+?)</.exec(page.body) ?? [];
      const used = await stage.server.inject({
        url: new URL(url ?? '').pathname,
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(used.json().team.name, 'acme');
      assert.doesNotMatch(await open(nora, '/tokens'), /pb_/, 'The token is shown once.');
    });

    test("create a new link for someone who hasn't signed in, and void the old one", async () => {
      const form = { email: 'late@acme.example', name: '', role: 'member' };
      const first = linkIn((await post(admin, '/members', form)).body);
      const { id } = await newcomer('late@acme.example');
      assert.match(await open(admin, `/members/${id}`), /hasn't signed in yet/);
      assert.equal((await stage.server.inject({ url: first })).statusCode, 410);
      assert.doesNotMatch(await open(admin, `/members/${acme.admin.user.id}`), /hasn't signed in yet/);
    });

    const linkIn = (body: string) => /\/sign-in\/[\w-]+/.exec(body)?.[0] ?? assert.fail(body);

    const signInBy = async (link: string): Promise<Session> => {
      const { headers } = await stage.server.inject({ method: 'POST', url: link });
      const cookie = cookieFrom(headers['set-cookie'], 'patchbay_session');
      return { cookie, headers: { cookie }, csrfToken: '' };
    };

    test("create a sign-in link for a member who can't get in anymore, which says who made it", async () => {
      const lost = await newcomer('lost@acme.example');
      const before = await openSession(stage, lost);
      assert.match(await open(admin, `/members/${lost.id}`), /Create a sign-in link/);
      const made = await post(admin, `/members/${lost.id}/link`);
      assert.match(made.body, /<h1[^>]*>Sign-in link for lost@acme\.example/);
      const link = linkIn(made.body);
      const again = linkIn((await post(admin, `/members/${lost.id}/link`)).body);
      assert.equal((await stage.server.inject({ url: link })).statusCode, 410, 'The newer one replaces it.');
      const session = await signInBy(again);
      assert.match(await open(session, '/sessions'), /With a link that admin@acme\.example made/);
      assert.doesNotMatch(await open(admin, '/sessions'), /With a link that/);
      await open(before, '/sessions');
      assert.match(
        await open(member, '/audit'),
        /admin@acme\.example<\/a><\/td>\s*<td>Created a sign-in link<br><span class="quiet">lost@acme/,
      );
      const used = await stage.server.inject({ url: again });
      assert.equal(used.statusCode, 410);
      assert.match(
        used.body,
        /Ask an admin of your team for a new one\. They can create it on your page under Settings/,
      );
      const reloaded = await stage.server.inject({ url: `/settings/members/${lost.id}/link`, headers: admin.headers });
      assert.equal(reloaded.headers.location, `/settings/members/${lost.id}`);
    });

    test('let a sign-in link expire after a day', async () => {
      const { id } = await openOnce('slow@acme.example');
      const link = linkIn((await post(admin, `/members/${id}/link`)).body);
      assert.equal((await stage.server.inject({ url: link })).statusCode, 200);
      await stage.app.database.run('update sign_in_links set expires_at = expires_at - 86400000 where user_id = $1', [
        id,
      ]);
      assert.equal((await stage.server.inject({ url: link })).statusCode, 410);
    });

    test('create no sign-in link for someone whose address is proven, nor for oneself, nor for others as a member', async () => {
      const { id } = await openOnce('proven@acme.example');
      await stage.app.database.run('update users set proved_at = 1 where id = $1', [id]);
      const shown = await open(admin, `/members/${id}`);
      assert.doesNotMatch(shown, /Create a sign-in link/);
      assert.match(shown, /npm run patchbay -- user link proven@acme\.example/);
      await expectRefused(admin, `/members/${id}/link`, {}, 409, /has proven that their email address is theirs/);
      const own = acme.admin.user.id;
      assert.doesNotMatch(await open(admin, `/members/${own}`), /Create a sign-in link/);
      await expectRefused(admin, `/members/${own}/link`, {}, 409, /signed in already/);
      assert.equal((await post(member, `/members/${own}/link`)).statusCode, 403);
      const links = 'select id from sign_in_links where user_id in ($1, $2) and used_at is null';
      assert.deepEqual(await stage.app.database.all(links, [id, own]), []);
    });

    for (const [how, path, form] of [
      ['removed', '/remove', {}],
      ['no longer an admin', '', { name: '', role: 'member' }],
    ] as const)
      test(`void the sign-in links of an admin who is ${how}`, async () => {
        const rogue = await openOnce(`rogue-${path.length}@acme.example`);
        await post(admin, `/members/${rogue.id}`, { name: '', role: 'admin' });
        const { id } = await openOnce(`victim-${path.length}@acme.example`);
        const link = linkIn((await post(await openSession(stage, rogue), `/members/${id}/link`)).body);
        assert.equal((await post(admin, `/members/${rogue.id}${path}`, form)).statusCode, 303);
        assert.equal((await stage.server.inject({ url: link })).statusCode, 410);
      });

    test('warn that a link only works on this machine, and say where that is set', async () => {
      const { body } = await post(admin, '/members', { email: 'far@acme.example', name: '', role: 'member' });
      assert.match(body, /only works on this machine\. Set <code>PATCHBAY_URL<\/code>[\s\S]*docs\/settings\.md/);
    });

    test('say what removing yourself does in the right person', async () => {
      const own = `/members/${acme.admin.user.id}`;
      assert.match(await open(admin, own), /npm run patchbay -- user email admin@acme\.example new@example\.com/);
      assert.match(await open(admin, own), /Removing yourself signs you out everywhere/);
      assert.match(await open(admin, `${own}/remove`), /Remove yourself from the team\?[\s\S]*your access tokens stop/);
    });

    test('refuse an invalid address, or one that is taken', async () => {
      const form = { name: 'Nina', role: 'admin' };
      await expectRefused(admin, '/members', { ...form, email: 'nina' }, 400, /not an email address/, /value="nina"/);
      const taken = { ...form, email: 'admin@acme.example' };
      await expectRefused(
        admin,
        '/members',
        taken,
        409,
        /is already a member of this team\. If they can't sign in anymore/,
        /value="admin" selected/,
      );
      await expectRefused(admin, '/members', { ...taken, role: 'owner' }, 400, /The role must be admin or member/);
    });

    test("change a name and a role, but not the last admin's", async () => {
      const { id } = await newcomer('role@acme.example');
      await expectDone(admin, `/members/${id}`, { name: 'Rob', role: 'admin' }, /Member saved/);
      assert.match(await open(admin, '/members'), /role@acme\.example[\s\S]*Rob[\s\S]*admin/);
      await expectDone(admin, `/members/${id}`, { name: '', role: 'member' }, /Member saved/);
      const ofAdmin = `/members/${acme.admin.user.id}`;
      await expectRefused(admin, ofAdmin, { name: '', role: 'member' }, 409, /A team needs at least one admin/);
      await expectRefused(admin, `${ofAdmin}/remove`, {}, 409, /A team needs at least one admin/);
    });

    test('ask before removing someone, then end their sessions', async () => {
      const user = await newcomer('gone@acme.example');
      const session = await openSession(stage, user);
      assert.match(await open(admin, `/members/${user.id}/remove`), /Remove gone@acme\.example\?/);
      await open(session, '');
      await expectDone(admin, `/members/${user.id}/remove`, {}, /Member removed/);
      await open(admin, `/members/${user.id}`, 404);
      const refused = await stage.server.inject({ url: '/settings', headers: session.headers });
      assert.equal(refused.headers.location, '/sign-in?returnTo=%2Fsettings');
    });
  });

  describe('for access tokens', () => {
    const idOf = async (name: string) =>
      (await stage.app.database.get<{ id: string }>('select id from access_tokens where name = $1', [name]))?.id;

    test("show a member their own, and an admin everyone's", async () => {
      await post(member, '/tokens', { name: 'of the member', expiresInDays: '7' });
      await post(admin, '/tokens', { name: 'of the admin', expiresInDays: '7' });
      const [ofMember, ofAdmin] = [await open(member, '/tokens'), await open(admin, '/tokens')];
      assert.match(ofMember, /of the member/);
      assert.doesNotMatch(ofMember, /of the admin/);
      assert.match(ofAdmin, /of the member[\s\S]*member@acme\.example/);
      const url = `/tokens/${await idOf('of the admin')}/revoke`;
      await open(member, url, 404);
      await expectRefused(member, url, {}, 404);
    });

    test('create one when the form is submitted twice', async () => {
      const form = { name: 'reloaded', expiresInDays: '7' };
      assert.match((await post(member, '/tokens', form)).body, /Your access token/);
      await expectRefused(member, '/tokens', form, 409, /already have an access token named “reloaded”/);
      const rows = await stage.app.database.all("select id from access_tokens where name = 'reloaded'");
      assert.equal(rows.length, 1);
      assert.match((await post(admin, '/tokens', form)).body, /Your access token/, 'Another person may use the name.');
    });

    test('refuse one without a name or with an unlisted lifetime', async () => {
      await expectRefused(
        member,
        '/tokens',
        { name: ' ', expiresInDays: '30' },
        400,
        /needs a name/,
        /value="30" selected/,
      );
      await expectRefused(
        member,
        '/tokens',
        { name: 'long', expiresInDays: '3650' },
        400,
        /Choose when the token should expire/,
        /value="long"/,
      );
    });

    test('ask before revoking one, which then stops working', async () => {
      const { body } = await post(member, '/tokens', { name: 'to revoke', expiresInDays: '7' });
      const headers = { authorization: `Bearer ${/pb_[\w-]+/.exec(body)?.[0]}` };
      assert.equal((await stage.server.inject({ url: '/api/team', headers })).statusCode, 200);
      const url = `/tokens/${await idOf('to revoke')}/revoke`;
      assert.match(await open(member, url), /Revoke “to revoke”\?/);
      await expectDone(member, url, {}, /Access token revoked/);
      assert.equal((await stage.server.inject({ url: '/api/team', headers })).statusCode, 401);
    });
  });

  describe('for sessions', () => {
    const isIn = async ({ headers }: Session) =>
      (await stage.server.inject({ url: '/api/team', headers })).statusCode === 200;

    test('mark the current one, and end one or all of the others', async () => {
      const user = await newcomer('travels@acme.example');
      const [desk, phone, tablet] = [
        await openSession(stage, user),
        await openSession(stage, user),
        await openSession(stage, user),
      ];
      const page = await open(desk, '/sessions');
      assert.equal(page.match(/>This device</g)?.length, 1);
      assert.match(
        page,
        /Unknown device <span class="pill good">This device<\/span><\/th><td data-label="Last used">Now/,
      );
      const addresses = [...page.matchAll(/action="\/settings(\/sessions\/[\w-]+\/end)"/g)].map(
        ([, path = '']) => path,
      );
      assert.equal(addresses.length, 2);
      await expectRefused(member, addresses[0] ?? '', {}, 404, /You have no session with this ID/);
      await expectDone(desk, addresses[0] ?? '', {}, /Session ended/);
      assert.equal((await Promise.all([phone, tablet].map(isIn))).filter(Boolean).length, 1);
      for (const reader of [desk, member]) {
        const lost = /Lost a device\?[\s\S]*<\/section>/.exec(await open(reader, '/sessions'))?.[0] ?? '';
        assert.match(lost, /name="links" value="on" checked/);
        for (const stays of ['tokens', 'members', 'audit']) assert.match(lost, new RegExp(`href="/settings/${stays}"`));
      }
      await expectDone(desk, '/sessions/end-others', {}, /All other sessions ended/);
      assert.deepEqual(await Promise.all([desk, phone, tablet].map(isIn)), [true, false, false]);
      assert.ok(await isIn(member), "Other people's sessions continue.");
    });

    test('name the device that each began on and when it was last used, and store no header', async () => {
      const user = await newcomer('devices@acme.example');
      const signIn = async (userAgent: string): Promise<Session> => {
        const headers = { 'user-agent': userAgent };
        const { headers: set } = await stage.server.inject({
          method: 'POST',
          url: await makeLinkPath(stage, user),
          headers,
        });
        const cookie = cookieFrom(set['set-cookie'], 'patchbay_session');
        return { cookie, csrfToken: '', headers: { cookie } };
      };
      const windows =
        'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36 canary-of-header';
      const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/18.6 Mobile/1 Safari/604.1';
      const desk = await signIn(windows);
      clock.advance(1_000);
      const phone = await signIn(iPhone);
      const read = async () =>
        (await stage.server.inject({ url: '/api/sessions', headers: phone.headers })).json().sessions as {
          device: string;
          lastUsedAt: string | null;
          current: boolean;
        }[];
      await open(desk, '/sessions');
      const usedAt = new Date(clock.now()).toISOString();
      clock.advance(30_000);
      await open(desk, '/sessions');
      const page = await open(phone, '/sessions');
      assert.match(page, /Safari on iPhone <span class="pill good">This device/);
      assert.match(page, /Chrome on Windows<\/th><td data-label="Last used"><time/);
      assert.match(page, /End<span class="unseen"> the session on Chrome on Windows from/);
      assert.deepEqual(
        (await read()).map(({ device, current }) => [device, current]),
        [
          ['Safari on iPhone', true],
          ['Chrome on Windows', false],
        ],
      );
      assert.equal((await read())[1]?.lastUsedAt, usedAt, 'It is written once a minute.');
      clock.advance(31_000);
      await open(desk, '/sessions');
      await waitUntil('the use is written', async () => (await read())[1]?.lastUsedAt !== usedAt);
      const rows = await stage.app.database.all('select * from sessions');
      assert.doesNotMatch(JSON.stringify(rows), /Mozilla|canary-of-header/);
    });

    test("let a program manage its user's sessions, but no one else's", async () => {
      const { headers } = acme.member;
      const read = async () =>
        (await stage.server.inject({ url: '/api/sessions', headers })).json<{ sessions: { id: string }[] }>().sessions;
      clock.advance(1_000);
      const begun = await openSession(stage, acme.member.user);
      const [newest] = await read();
      const url = `/api/sessions/${newest?.id}`;
      const end = (by: Record<string, string>) => stage.server.inject({ method: 'DELETE', url, headers: by });
      assert.equal((await end(acme.admin.headers)).json().code, 'teams.session_unknown');
      assert.equal((await end(headers)).statusCode, 204);
      assert.equal(await isIn(begun), false);
      assert.ok(!(await read()).some(({ id }) => id === newest?.id));
      const current = await stage.server.inject({ url: '/api/sessions', headers: member.headers });
      assert.deepEqual(current.json().sessions.filter((session: { current: boolean }) => session.current).length, 1);
    });
  });

  describe('for the report', () => {
    const SCHEDULE = { day: 'monday', hour: '8' };
    const ADMINS = { who: 'admins', addresses: '' };

    test('email it to the admins or to the listed addresses', async () => {
      assert.match(await open(admin, '/report'), /value="admins" checked[\s\S]*<textarea[^>]*><\/textarea>/);
      const addresses = 'one@acme.example\r\n two@acme.example, three@acme.example\r\n';
      const form = { ...SCHEDULE, who: 'listed', addresses };
      await expectDone(
        admin,
        '/report',
        form,
        /Settings saved\. Email isn&#39;t set up yet\. Once it is, the report goes to the addresses below/,
      );
      const named = ['one@acme.example', 'two@acme.example', 'three@acme.example'];
      assert.deepEqual((await getTeam(stage.app.database, acme.team.id))?.reportRecipients, named);
      assert.match(await open(admin, '/report'), /value="listed" checked[\s\S]*>one@acme\.example\ntwo@/);
      await expectDone(admin, '/report', { ...SCHEDULE, ...ADMINS }, /value="admins" checked/);
    });

    test('name the invalid address, and keep what was typed', async () => {
      const form = { day: 'friday', hour: '17', who: 'listed', addresses: 'one@acme.example\ntwo.acme.example' };
      await expectRefused(
        admin,
        '/report',
        form,
        400,
        /“two\.acme\.example” is not an email address/,
        /value="friday" selected[\s\S]*>one@acme\.example\n/,
      );
    });

    test('say when it is ready, and let an admin choose the day and the hour', async () => {
      const readSchedule = async () => (await getTeam(stage.app.database, acme.team.id))?.reportSchedule;
      const us = { ...admin, headers: { ...admin.headers, 'accept-language': 'en-US' } };
      for (const [session, says] of [
        [admin, 'Monday at 08:00'],
        [us, 'Monday at 8:00 AM'],
        [member, 'Monday at 08:00'],
      ] as const)
        assert.ok((await open(session, '/report')).includes(`Ready every ${says} in your team's time zone`));
      await expectDone(admin, '/report', { ...ADMINS, day: 'friday', hour: '17' }, /Settings saved\./);
      assert.deepEqual(await readSchedule(), { day: 'friday', hour: 17 });
      const page = await open(us, '/report');
      assert.match(page, /Ready every Friday at 5:00 PM/);
      assert.match(page, /<option value="friday" selected>Friday<\/option>/);
      assert.match(page, /<option value="17" selected>5:00 PM<\/option>/);
      assert.match(page, /The next report will be ready <time datetime="2026-11-20T17:00:00\.000Z"/);
      for (const wrong of [
        { day: 'someday', hour: '17' },
        { day: 'friday', hour: '24' },
        { day: 'friday', hour: '' },
        { day: 'friday', hour: '1e1' },
      ])
        await expectRefused(
          admin,
          '/report',
          { ...ADMINS, ...wrong },
          400,
          /Choose a day and an hour from the lists\./,
        );
      assert.equal((await post(member, '/report', { ...ADMINS, ...SCHEDULE })).statusCode, 403);
      assert.deepEqual(await readSchedule(), { day: 'friday', hour: 17 });
      const { body } = await stage.server.inject({ url: '/settings/audit', headers: admin.headers });
      assert.match(body, /changed: report schedule/);
    });

    test('lead to an email that looks like the next one', async () => {
      const address = /href="(\/reports\/[^"]*\/mail)"/.exec(await open(member, '/report'))?.[1] ?? '';
      const { statusCode, body } = await stage.server.inject({ url: address, headers: member.headers });
      assert.equal(statusCode, 200);
      assert.match(body, /This week isn&#39;t over yet|This week isn't over yet/);
      assert.match(
        body,
        /<body[^>]*><p[^>]*>This is what the email looks like[\s\S]*<a [^>]*href="\/settings\/report"/,
      );
      assert.doesNotMatch(body, /Revision/);
    });

    test('say that no email is sent without a mail server', async () => {
      assert.match(await open(member, '/report'), /Email isn't set up[\s\S]*SMTP_URL[\s\S]*docs\/settings\.md/);
    });
  });

  describe('for the report in Slack', () => {
    const SECRET_PATH = '/services/T0/B0/canary-of-slack';
    let slack: Server;
    let url: string;
    let status = 200;

    before(async () => {
      slack = createServer((_request, response) => response.writeHead(status).end('no_service')).listen(0, '127.0.0.1');
      await once(slack, 'listening');
      url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}${SECRET_PATH}`;
    });
    after(() => {
      slack.closeAllConnections();
      slack.close();
    });

    test('say that a webhook URL is saved now, and that the report is posted later', async () => {
      const page = await open(admin, '/report');
      assert.match(page, /<button>Save webhook URL<\/button>/);
      assert.match(page, /The next report is posted when it's ready\. <a[^>]*>Alerts<\/a> go to the same channel/);
    });

    test('store a webhook URL that is never shown again, and test it', async () => {
      await expectRefused(
        admin,
        '/report/slack',
        { url: 'canary-of-slack' },
        400,
        /This isn&#39;t an incoming webhook URL/,
      );
      await expectRefused(admin, '/report/slack', { url: 'https://example.com/x' }, 400, /starts with https:\/\/hooks/);
      await expectRefused(admin, '/report/slack/test', {}, 409, /Add an incoming webhook URL first/);
      await expectDone(
        admin,
        '/report/slack',
        { url: ` ${url}` },
        /also be posted to Slack[\s\S]*Posted through 127\.0\.0\.1/,
      );
      await expectDone(admin, '/report/slack/test', {}, /Test message sent/);
      status = 404;
      clock.advance(1_000);
      await expectRefused(admin, '/report/slack/test', {}, 502, /role="alert"[\s\S]*Create a new incoming webhook/);
      const ofMember = await open(member, '/report');
      assert.match(ofMember, /The report is posted to Slack/);
      for (const page of [ofMember, await open(admin, '/report'), await open(admin, '/audit')])
        assert.doesNotMatch(page, /canary-of-slack/);
    });

    test('record the result of each test in the audit log', async () => {
      const tests = await stage.app.database.all<{ detail: string }>(
        "select detail from audit_events where action = 'report.slack.test' order by id",
      );
      assert.deepEqual(
        tests.map(({ detail }) => JSON.parse(detail)),
        [{ result: 'sent' }, { result: 'failed' }],
      );
    });

    test('ask before removing the webhook URL', async () => {
      assert.equal((await post(member, '/report/slack/remove')).statusCode, 403);
      assert.match(await open(admin, '/report/slack/remove'), /Stop posting to Slack\?/);
      await expectDone(admin, '/report/slack/remove', {}, /Reports are no longer posted to Slack/);
      assert.doesNotMatch(await open(admin, '/report'), /Posted through/);
    });
  });

  describe('for the audit log', () => {
    test('say who did what, in words, a page at a time', async () => {
      clock.advance(1_000);
      await expectDone(admin, '', { name: 'acme', timeZone: 'UTC', recordingDays: '', payloadDays: '30' }, /saved/);
      const newest = await open(member, '/audit');
      assert.doesNotMatch(newest, /IP address/);
      assert.match(await open(admin, '/audit'), /IP address/);
      assert.match(
        newest,
        /admin@acme\.example<\/a><\/td>\s*<td>Changed the team settings<br><span[^>]*>changed: retention<\/span>/,
      );
      clock.advance(1_000);
      for (let index = 0; index < 50; index++) await post(member, '/tokens', { name: `t${index}`, expiresInDays: '7' });
      const older = /href="\/settings(\/audit\?cursor=[\w-]+)"/.exec(await open(admin, '/audit'))?.[1];
      assert.match(await open(admin, older ?? ''), /Changed the team settings[\s\S]*Newest/);
      await open(admin, '/audit?cursor=nonsense', 400);
    });

    test('show only what the filter matches, keep it from page to page, and lead out of it', async () => {
      const query = `who=${acme.member.user.id}&what=token.create&since=2026-11-15&until=2026-11-15`;
      const first = await open(admin, `/audit?${query}`);
      assert.match(first, /<option value="token\.create" selected>Created an access token</);
      assert.match(first, new RegExp(`<option value="${acme.member.user.id}" selected>member@acme\\.example<`));
      assert.match(first, /name="until" type="date" value="2026-11-15"/);
      assert.match(first, /<a href="\/settings\/audit">Clear/);
      const rows = (page: string) => page.split('<tr>').slice(2);
      assert.equal(rows(first).length, 50);
      for (const row of rows(first)) assert.match(row, /<td>member@acme\.example<\/td>\s*<td>Created an access token/);
      const next = /rel="next" href="\/settings(\/audit\?[^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const second = await open(admin, next);
      assert.ok(rows(second).length > 0);
      for (const row of rows(second)) assert.match(row, /Created an access token/);
      assert.ok(second.includes(`<a href="/settings/audit?${query.replaceAll('&', '&amp;')}">Newest</a>`));
      const none = await open(admin, '/audit?who=&what=integration.connect&since=&until=');
      assert.match(none, /No entries match\. <a href="\/settings\/audit">Show all entries/);
      const byName = /<td><a href="\/settings(\/audit\?[^"]+)">admin@acme\.example</.exec(
        await open(admin, '/audit'),
      )?.[1];
      assert.equal(byName, undefined, 'The newest are all by the member.');
      const team = await open(admin, '/audit?what=team.change');
      const [, link = ''] = /<td><a href="\/settings(\/audit\?[^"]+)">admin@acme\.example</.exec(team) ?? [];
      assert.equal(link, `/audit?who=${acme.admin.user.id}&amp;what=team.change`);
    });

    test('are a file for a spreadsheet, in words, of what the filter matches', async () => {
      const page = await open(admin, '/audit?what=team.change');
      assert.match(page, /href="\/settings\/audit\.csv\?what=team\.change" download>CSV/);
      const read = async ({ headers }: Session) => {
        const answer = await stage.server.inject({ url: '/settings/audit.csv?what=team.change', headers });
        assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
        assert.equal(answer.headers['content-disposition'], 'attachment; filename="audit-log.csv"');
        return answer.body.split('\r\n');
      };
      const [head, newest, ...others] = await read(admin);
      assert.equal(head, 'When (UTC),Who,What,Details,IP address,Entry ID,Request ID');
      assert.match(
        newest ?? '',
        /^2026-11-15 12:\d\d:\d\d,admin@acme\.example,Changed the team settings,changed: retention,127\.0\.0\.1,/,
      );
      const [headOfMember, ...ofMember] = await read(member);
      assert.equal(headOfMember, 'When (UTC),Who,What,Details,Entry ID,Request ID');
      assert.equal(ofMember.length, others.length + 1);
    });

    test('say who was invited, changed and removed, also when they are gone', async () => {
      clock.advance(1_000);
      const email = 'audited@acme.example';
      await post(admin, '/members', { email, name: '', role: 'member' });
      const user = await stage.app.database.get<{ id: string }>('select id from users where email = $1', [email]);
      await post(admin, `/members/${user?.id}`, { name: '', role: 'admin' });
      await post(admin, `/members/${user?.id}/remove`, {});
      const log = await open(member, '/audit');
      for (const action of ['Invited', 'Changed', 'Removed'])
        assert.match(log, new RegExp(`${action} a member<br><span[^>]*>audited@acme\\.example \\(removed\\)`));
    });

    test('say which alerts were turned on and off, and nothing if none were', async () => {
      clock.advance(1_000);
      const before = { 'reconnect-mail': 'on', 'reconnect-slack': 'on', 'endpoint-mail': 'on', 'endpoint-slack': 'on' };
      const countEntries = async () => (await open(member, '/audit')).split('Turned alerts on or off').length;
      await post(admin, '/alerts', before);
      const count = await countEntries();
      await post(admin, '/alerts', before);
      assert.equal(await countEntries(), count);
      await post(admin, '/alerts', { 'reconnect-mail': 'on', 'reconnect-slack': 'on', 'voicemail-mail': 'on' });
      assert.match(
        await open(member, '/audit'),
        /Turned alerts on or off<br><span[^>]*>on: voicemail by mail · off: endpoint by mail, endpoint by slack<\/span>/,
      );
    });

    test('say that nothing is older after the last page, and link back', async () => {
      const cursor = Buffer.from('00000000-0000-0000-0000-000000000000').toString('base64url');
      for (const [path, words] of [
        ['/audit', 'No older entries.'],
        ['/tokens', 'No older access tokens.'],
      ] as const) {
        const page = await open(admin, `${path}?cursor=${cursor}`);
        assert.ok(page.includes(words), path);
        assert.doesNotMatch(page, /yet\./, path);
        assert.ok(page.includes(`<a href="/settings${path}">Newest</a>`), path);
      }
    });
  });
});
