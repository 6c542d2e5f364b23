import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { createBrowser, locationOf } from '../harness/browser.ts';
import { startIdentityProvider, type Visitor } from '../harness/identity-provider.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const REDIRECT = 'http://localhost:3000/sign-in/callback';

for (const claimsInToken of [true, false])
  describe(`signing in with the identity provider, whose claims are ${claimsInToken ? 'in the token' : 'asked for'}`, () => {
    const provider = useStage(() => startIdentityProvider({ redirectUri: REDIRECT, claimsInToken }));
    const stage = useStage(() =>
      createTestApp('sqlite', {
        env: {
          AUTH_ISSUER: provider.issuer,
          AUTH_AUDIENCE: 'patchbay',
          AUTH_CLIENT_ID: 'dashboard',
          AUTH_CLIENT_SECRET: 'dashboard-secret',
        },
      }),
    );

    before(async () => {
      await stage.app.jobs.start();
    });

    const get = (url: string, cookie = '') => stage.server.inject({ url, headers: { cookie, accept: 'text/html' } });

    /** To the provider and through it, to the address that it sends the browser back to. */
    const visitProvider = async (visitor: Visitor | null) => {
      provider.visit(visitor);
      const begun = await get('/sign-in/outside');
      assert.equal(begun.statusCode, 303, begun.body);
      const browser = createBrowser();
      let address = String(begun.headers.location);
      for (let step = 0; step < 10 && !address.startsWith(REDIRECT); step++)
        address = locationOf(await browser.visit(address));
      const { pathname, search } = new URL(address);
      return { back: `${pathname}${search}`, cookie: cookieFrom(begun.headers['set-cookie'], 'patchbay_sign_in') };
    };

    const findUser = (subject: string) =>
      stage.app.database.get<{ role: string; email: string; team: string }>(
        'select u.role, u.email, t.name as team from users u join teams t on t.id = u.team_id where u.subject = $1',
        [subject],
      );

    test('the sign-in page offers it', async () => {
      const { body } = await get('/sign-in');
      assert.match(body, new RegExp(`href="/sign-in/outside">Sign in with ${new URL(provider.issuer).host}<`));
    });

    test('a new user gets a session in the team that the provider names, and lands where they wanted to go', async () => {
      const asked = await get('/calls?outcome=missed');
      assert.equal(asked.headers.location, '/sign-in?returnTo=%2Fcalls%3Foutcome%3Dmissed');
      const wanted = cookieFrom((await get(String(asked.headers.location))).headers['set-cookie'], 'patchbay_return');
      const { back, cookie } = await visitProvider({
        sub: 'ada',
        team: 'acme',
        role: 'admin',
        email: 'ada@acme.example',
      });
      const signedIn = await get(back, `${cookie}; ${wanted}`);
      assert.equal(signedIn.statusCode, 303, signedIn.body);
      assert.equal(signedIn.headers.location, '/calls?outcome=missed');
      const session = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
      const page = await get('/', session);
      assert.equal(page.statusCode, 200);
      assert.match(page.body, /ada@acme\.example/);
      assert.deepEqual({ ...(await findUser('ada')) }, { role: 'admin', email: 'ada@acme.example', team: 'acme' });
    });

    test('a response works once, and only in the browser that started the sign-in', async () => {
      const { back, cookie } = await visitProvider({ sub: 'eve', team: 'acme' });
      for (const elsewhere of ['', 'patchbay_sign_in=forged']) {
        const refused = await get(back, elsewhere);
        assert.equal(refused.statusCode, 400, refused.body);
        assert.match(refused.body, /started in another browser/);
      }
      const other = await visitProvider({ sub: 'eve', team: 'acme' });
      assert.equal((await get(back, other.cookie)).statusCode, 403);
      assert.equal((await get(back, cookie)).statusCode, 303);
      const again = await get(back, cookie);
      assert.equal(again.statusCode, 403, again.body);
      assert.equal(again.headers['set-cookie']?.includes('patchbay_session='), false);
    });

    test('a response counts for ten minutes, even if the browser keeps its cookie for longer', async (context) => {
      const { back, cookie } = await visitProvider({ sub: 'late', team: 'acme' });
      context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 600_001 });
      const late = await get(back, cookie);
      assert.equal(late.statusCode, 400, late.body);
      assert.match(late.body, /more than ten minutes ago/);
      context.mock.timers.reset();
      assert.equal((await get(back, cookie)).statusCode, 303, 'It was not used up.');
    });

    test('someone who is refused there, has no team or was removed gets an explanation and no session', async () => {
      const refusals: [Visitor | null, RegExp][] = [
        [null, /didn&#39;t confirm who you are/],
        [{ sub: 'nobody' }, /sent no team \(claim &quot;team&quot;\)/],
      ];
      for (const [visitor, words] of refusals) {
        const { back, cookie } = await visitProvider(visitor);
        const refused = await get(back, cookie);
        assert.equal(refused.statusCode, 403, refused.body);
        assert.match(refused.body, words);
      }
      await stage.app.database.run('update users set removed_at = 1 where subject = $1', ['eve']);
      const { back, cookie } = await visitProvider({ sub: 'eve', team: 'acme' });
      const refused = await get(back, cookie);
      assert.equal(refused.statusCode, 403);
      assert.match(refused.body, /You were removed/);
      assert.equal([refused.headers['set-cookie']].flat().join().includes('patchbay_session='), false);
    });

    test("nobody is signed in over someone else's session", async () => {
      const first = await visitProvider({ sub: 'ada', team: 'acme', role: 'admin', email: 'ada@acme.example' });
      const session = cookieFrom((await get(first.back, first.cookie)).headers['set-cookie'], 'patchbay_session');
      const second = await visitProvider({ sub: 'bob', team: 'acme' });
      const refused = await get(second.back, `${second.cookie}; ${session}`);
      assert.equal(refused.statusCode, 409);
      assert.match(refused.body, /signed in as ada@acme\.example[\s\S]*action="\/sign-out"/);
    });
  });

describe('signing in with an emailed link', () => {
  const mail = useStage(() => startMailServer());
  const stage = useStage(() =>
    createTestApp('sqlite', { env: { SMTP_URL: mail.url, MAIL_FROM: 'Patchbay <pb@example.com>' } }),
  );

  before(async () => {
    await stage.app.jobs.start();
  });

  /** Reports may be on their way, too. */
  const mailedLinks = () => mail.received.filter(({ raw }) => /^Subject: Your Patchbay sign-in link/m.test(raw));
  const mailedInvitations = () => mail.received.filter(({ raw }) => /^Subject: You're invited/m.test(raw));

  /** Its text, before it was encoded for mail. */
  const decode = (raw: string): string =>
    raw.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

  const pathIn = (raw = ''): string => /http:\/\/localhost:3000(\/sign-in\/\S+)/.exec(decode(raw))?.[1] ?? '';

  const ask = (email: string, headers: Record<string, string> = {}) =>
    stage.server.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({ email }).toString(),
    });

  const untilJobsAreDone = () =>
    waitUntil('all jobs are done', async () => {
      const { queued, active } = await stage.app.jobs.count();
      return queued + active === 0;
    });

  test('a member gets a working link, a stranger gets nothing, and both see the same page', async () => {
    const { member } = await stage.createTeam('mailed');
    const known = await ask('Member@mailed.example');
    const unknown = await ask('nobody@mailed.example');
    assert.equal(known.statusCode, 200, known.body);
    assert.equal(known.body.replace('Member@', ''), unknown.body.replace('nobody@', ''));
    await waitUntil('the mail is there', () => mailedLinks().length === 1);
    await untilJobsAreDone();
    assert.deepEqual(
      mailedLinks().map(({ to }) => to),
      [['member@mailed.example']],
    );
    const path = pathIn(mailedLinks()[0]?.raw);
    const signedIn = await stage.server.inject({ method: 'POST', url: path });
    assert.equal(signedIn.statusCode, 303, path);
    const sessions = await stage.app.database.all<{ userId: string }>('select user_id as "userId" from sessions');
    assert.deepEqual(
      sessions.map(({ userId }) => userId),
      [member.user.id],
    );
    const jobs = JSON.stringify(await stage.app.database.all('select * from jobs'));
    assert.equal(jobs.includes(path.slice('/sign-in/'.length)), false);
  });

  test("an invalid address is rejected, and so is another site's form", async () => {
    assert.equal((await ask('not an address')).statusCode, 400);
    assert.equal((await ask('member@mailed.example', { 'sec-fetch-site': 'cross-site' })).statusCode, 403);
  });

  test('a link from the command line replaces earlier ones, and links can still be emailed', async () => {
    await stage.createTeam('handy');
    const before = mailedLinks().length;
    const made: string[] = [];
    for (let time = 0; time < 5; time++) {
      const { stdout } = await runCommand(['user', 'link', 'member@handy.example', '--json'], settingsOf(stage));
      made.push(new URL(JSON.parse(stdout).link.address).pathname);
    }
    const statuses = [];
    for (const url of made) statuses.push((await stage.server.inject({ url })).statusCode);
    assert.deepEqual(statuses, [410, 410, 410, 410, 200]);
    await ask('member@handy.example');
    await untilJobsAreDone();
    assert.equal(mailedLinks().length - before, 1);
  });

  test('a link that was used says how its owner gets another one, if there is no other admin to ask', async () => {
    const { team, admin, member } = await stage.createTeam('alone');
    const useUp = async (email: string) => {
      const { stdout } = await runCommand(['user', 'link', email, '--team', team.id, '--json'], settingsOf(stage));
      const url = new URL(JSON.parse(stdout).link.address).pathname;
      assert.equal((await stage.server.inject({ method: 'POST', url })).statusCode, 303);
      const answers = [await stage.server.inject({ url }), await stage.server.inject({ method: 'POST', url })];
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [410, 410],
      );
      return { url, said: answers.map(({ body }) => /user link [^ <"]+|Ask an admin/.exec(body)?.[0]) };
    };
    const { url, said } = await useUp('admin@alone.example');
    assert.deepEqual(said, ['user link admin@alone.example', 'user link admin@alone.example']);
    assert.doesNotMatch((await stage.server.inject({ url: `${url.slice(0, -4)}AAAA` })).body, /alone\.example/);
    assert.deepEqual((await useUp('member@alone.example')).said, ['Ask an admin', 'Ask an admin']);
    const payload = { role: 'admin' };
    const promoted = `/api/members/${member.user.id}`;
    const { headers } = admin;
    assert.equal((await stage.server.inject({ method: 'PATCH', url: promoted, headers, payload })).statusCode, 200);
    assert.match((await stage.server.inject({ url })).body, /Ask an admin/);
  });

  test("asking again and again doesn't flood someone's inbox", async () => {
    await stage.createTeam('flooded');
    const before = mailedLinks().length;
    for (let time = 0; time < 5; time++) assert.equal((await ask('member@flooded.example')).statusCode, 200);
    await untilJobsAreDone();
    assert.equal(mailedLinks().length - before, 2);
    for (let time = 0; time < 5; time++) await ask(`somebody-${time}@flooded.example`);
    const limited = await ask('one-more@flooded.example');
    assert.equal(limited.statusCode, 429);
    assert.ok(Number(limited.headers['retry-after']) > 0);
  });

  test('an invited member gets an email with a link of their own, which works once and ends the one that was shown', async () => {
    const { admin } = await stage.createTeam('inviting');
    const invite = (email: string) =>
      stage.server.inject({ method: 'POST', url: '/api/members', headers: admin.headers, payload: { email } });
    const { signInLink, mailed } = (await invite('new@inviting.example')).json();
    assert.equal(mailed, true);
    await waitUntil('the invitation is there', () => mailedInvitations().length === 1);
    const [letter] = mailedInvitations();
    assert.deepEqual(letter?.to, ['new@inviting.example']);
    const path = pathIn(letter?.raw);
    assert.notEqual(path, new URL(signInLink).pathname);
    assert.match((await stage.server.inject({ url: path })).body, /new@inviting\.example/);
    assert.equal((await stage.server.inject({ method: 'POST', url: path })).statusCode, 303);
    assert.equal((await stage.server.inject({ method: 'POST', url: path })).statusCode, 410);
    assert.equal((await stage.server.inject({ method: 'POST', url: new URL(signInLink).pathname })).statusCode, 410);
    const jobs = JSON.stringify(await stage.app.database.all('select * from jobs'));
    for (const link of [path, signInLink]) assert.equal(jobs.includes(link.split('/sign-in/')[1] ?? link), false);
  });

  test("an admin who invites again and again doesn't flood an inbox, and still gets a link to hand over", async () => {
    const { admin } = await stage.createTeam('impatient');
    const before = mailedInvitations().length;
    const answers = [];
    for (let time = 0; time < 7; time++) {
      await untilJobsAreDone();
      answers.push(
        await stage.server.inject({
          method: 'POST',
          url: '/api/members',
          headers: admin.headers,
          payload: { email: 'slow@impatient.example' },
        }),
      );
    }
    assert.deepEqual(
      answers.map((answer) => answer.json().mailed),
      [true, true, true, true, true, false, false],
    );
    await untilJobsAreDone();
    assert.equal(mailedInvitations().length - before, 5);
    const [first, last] = [answers[0], answers.at(-1)].map((answer) => new URL(answer?.json().signInLink).pathname);
    assert.equal((await stage.server.inject({ method: 'POST', url: first ?? '' })).statusCode, 410);
    assert.equal((await stage.server.inject({ method: 'POST', url: last ?? '' })).statusCode, 303);
  });

  test('an invitation that the mail server rejects is still shown, and is retried', async () => {
    const { admin } = await stage.createTeam('refused');
    mail.refuseWith((address) => (address === 'later@refused.example' ? { responseCode: 451 } : null));
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/api/members',
      headers: admin.headers,
      payload: { email: 'later@refused.example' },
    });
    assert.equal(answer.statusCode, 201);
    const waiting = () =>
      stage.app.database.get<{ lastError: string | null }>(
        `select last_error as "lastError" from jobs where name = 'mail-invitation' and payload like $1`,
        [`%${answer.json().member.id}%`],
      );
    await waitUntil('it was tried', async () => (await waiting())?.lastError === 'The mail server responded with 451.');
    // A link that no one has seen doesn't count: it would use up one of those that can be requested.
    const links = await stage.app.database.all('select id from sign_in_links where user_id = $1', [
      answer.json().member.id,
    ]);
    assert.equal(links.length, 1);
    mail.refuseWith(null);
    const shown = new URL(answer.json().signInLink).pathname;
    assert.equal((await stage.server.inject({ method: 'POST', url: shown })).statusCode, 303);
  });
});
