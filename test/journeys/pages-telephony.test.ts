import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createTestApp, createTestClock, type TestApp } from '../harness/app.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { type Key, SENDERS, type Sender } from '../harness/telephony-senders.ts';
import { CALLER } from '../harness/telephony-stage.ts';

const [twilio] = SENDERS.filter(({ provider }) => provider === 'twilio') as [Sender];

const SECRET = 'the-secret-that-no-page-may-show';
const HOME = '/settings/telephony';

/** What sits between the internet and the service, and may get in the way. */
type Proxy = {
  path?: (target: string) => string;
  drops?: string;
  body?: (body: string) => string;
  /** Instead of the service; null hangs up. */
  answers?: { status: number; headers?: Record<string, string>; body?: string } | null;
};

type Asked = { status: number; location: string; body: string };

describe('the telephony pages', () => {
  const clock = createTestClock();
  const front = createServer((request, response) => void pass(request, response));
  let stage: TestApp;
  let team: Awaited<ReturnType<TestApp['createTeam']>>;
  let admin: Session;
  let member: Session;
  let stranger: Session;
  let proxy: Proxy = {};

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { answers, path = (target: string) => target, drops = '', body = (text: string) => text } = proxy;
    if (answers === null) return void request.socket.destroy();
    if (answers) return void response.writeHead(answers.status, answers.headers).end(answers.body);
    const { [drops]: _dropped, 'content-length': _length, ...headers } = request.headers;
    const answer = await stage.server.inject({
      method: request.method as 'GET' | 'POST',
      url: path(request.url ?? ''),
      headers,
      payload: body((await buffer(request)).toString()),
    });
    response.writeHead(answer.statusCode).end(answer.body);
  };

  const open = async (path: string, { headers } = admin): Promise<Asked> => {
    const answer = await stage.server.inject({ url: path, headers });
    return { status: answer.statusCode, location: String(answer.headers.location ?? ''), body: answer.body };
  };

  const submit = async (path: string, fields: Record<string, string> = {}, session = admin): Promise<Asked> => {
    const answer = await stage.server.inject({
      method: 'POST',
      url: path,
      headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: session.csrfToken, ...fields }).toString(),
    });
    assert.ok(!answer.body.includes(SECRET), `${path} shows a secret`);
    return { status: answer.statusCode, location: String(answer.headers.location ?? ''), body: answer.body };
  };

  /** Sends the form, and follows to the page that says what was done. */
  const submitted = async (path: string, fields: Record<string, string> = {}): Promise<Asked & { path: string }> => {
    const { status, location, body } = await submit(path, fields);
    assert.equal(status, 303, body);
    const page = await open(location);
    assert.equal(page.status, 200, page.body);
    return { ...page, path: location.split('?')[0] ?? '' };
  };

  let made = 0;
  const newSid = (): string => `AC${(++made).toString(16).padStart(32, '0')}`;

  const addAccount = async (fields: Record<string, string> = {}) =>
    (await submitted(`${HOME}/accounts/new?provider=twilio`, { accountId: newSid(), secret: SECRET, ...fields })).path;

  const addNumber = async (number: string, fields: Record<string, string> = {}) => {
    const account = (await addAccount()).split('/').at(-1) ?? '';
    const page = await submitted(`${HOME}/numbers/new`, { number, account, voicemail: 'on', ...fields });
    return { ...page, account };
  };

  const api = async (method: 'GET' | 'PATCH', path: string, payload?: object) =>
    (await stage.server.inject({ method, url: path, headers: team.admin.headers, ...(payload && { payload }) })).json();

  /** A call comes in, signed with this key. */
  const ring = async (id: string, { prove }: Key) => {
    const { accountId } = await api('GET', `/api/telephony/accounts/${id}`);
    const target = `/api/webhooks/telephony/voice?account=${id}`;
    const body = new URLSearchParams(twilio.rings(accountId, twilio.newCallId()).fields).toString();
    const signing = { now: clock.now(), at: stage.config.url };
    const headers = prove({ method: 'POST', target, type: twilio.type, body }, signing);
    return stage.server.inject({
      method: 'POST',
      url: target,
      payload: body,
      headers: { 'content-type': twilio.type, ...headers },
    });
  };

  before(async () => {
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const url = `http://localhost:${(front.address() as AddressInfo).port}`;
    stage = await createTestApp('sqlite', { clock, env: { PATCHBAY_URL: url } });
    team = await stage.createTeam('ours');
    admin = await openSession(stage, team.admin.user);
    member = await openSession(stage, team.member.user);
    stranger = await openSession(stage, (await stage.createTeam('theirs')).admin.user);
  });

  after(async () => {
    front.closeAllConnections();
    front.close();
    await stage.close();
  });

  test('start with the three steps', async () => {
    const { status, body } = await open(HOME, stranger);
    assert.equal(status, 200);
    assert.match(body, /Three steps to your first call/);
    assert.match((await open(`${HOME}/numbers/new`, stranger)).body, /add that first/);
  });

  test('keep the steps, and say what is left to do, until a request was verified', async () => {
    const { admin: first } = await stage.createTeam('keeps-steps');
    const session = await openSession(stage, first.user);
    const key = twilio.newKey();
    const form = { accountId: newSid(), secret: key.secret };
    const account = (await submit(`${HOME}/accounts/new?provider=twilio`, form, session)).location.split('?')[0] ?? '';
    const id = account.split('/').at(-1) ?? '';
    const { location } = await submit(`${HOME}/numbers/new`, { number: '+15551230777', account: id }, session);
    const added = await open(location, session);
    assert.match(added.body, /Number added\. Calls that come in are answered this way\./);
    assert.match(added.body, /Calls can't come in yet\.<\/strong> Twilio can't reach this machine/);
    assert.ok(added.body.includes(`href="${account}#setup"`));
    assert.match((await open(HOME, session)).body, /Three steps[\s\S]*See the webhook URLs/);
    assert.match((await open(account, session)).body, /Verifies requests<\/span> · nothing received yet/);
    const ringWith = (one: Key) => {
      const target = `/api/webhooks/telephony/voice?account=${id}`;
      const body = new URLSearchParams(twilio.rings(form.accountId, twilio.newCallId()).fields).toString();
      const signed = one.prove(
        { method: 'POST', target, type: twilio.type, body },
        { now: clock.now(), at: stage.config.url },
      );
      const headers = { 'content-type': twilio.type, ...signed };
      return stage.server.inject({ method: 'POST', url: target, payload: body, headers });
    };
    assert.equal((await ringWith(twilio.newKey())).statusCode, 403);
    await stage.app.telephony.settle();
    assert.match(
      (await open(account, session)).body,
      /<span class="state bad">Refused<\/span>: secret or URL doesn&#39;t match/,
    );
    assert.match((await open(HOME, session)).body, /Three steps/);
    clock.advance(1_000);
    assert.equal((await ringWith(key)).statusCode, 200);
    await stage.app.telephony.settle();
    assert.match((await open(account, session)).body, /Verifies requests<\/span> · last verified request/);
    assert.doesNotMatch((await open(HOME, session)).body, /Three steps/);
  });

  test("use the provider's own names for fields, and hide secrets", async () => {
    const choice = await open(`${HOME}/accounts/new`);
    for (const { provider } of SENDERS) {
      assert.ok(choice.body.includes(`?provider=${provider}"`), provider);
      const { status, body } = await open(`${HOME}/accounts/new?provider=${provider}`);
      assert.equal(status, 200);
      assert.match(body, /id="secret" name="secret" type="password" value=""/);
    }
    const { body } = await open(`${HOME}/accounts/new?provider=vonage`);
    assert.match(body, /<textarea id="api.privateKey"/);
    assert.match(body, /Signature secret/);
    assert.equal((await open(`${HOME}/accounts/new?provider=nobody`)).status, 404);
  });

  describe('an account', () => {
    test('with invalid details is shown again, without its secret', async () => {
      const { status, body } = await submit(`${HOME}/accounts/new?provider=twilio`, {
        accountId: 'not-a-sid',
        secret: SECRET,
        'api.keySid': 'not-a-key',
        observe: 'on',
      });
      assert.equal(status, 400);
      assert.match(body, /<strong>Account SID<\/strong> must be/);
      assert.match(body, /<strong>API key SID<\/strong> must be/);
      assert.match(body, /value="not-a-sid"/);
      assert.match(body, /name="observe" value="on" checked/);
    });

    test('shows the webhook URLs to paste, and no secret', async () => {
      const { path, body } = await submitted(`${HOME}/accounts/new?provider=twilio`, {
        accountId: newSid(),
        secret: SECRET,
        'api.keySecret': SECRET,
      });
      const { webhooks } = await api('GET', `/api/telephony/accounts/${path.split('/').at(-1)}`);
      assert.match(body, /Account added/);
      assert.ok(body.includes(webhooks.voiceUrl.replaceAll('&', '&amp;')));
      assert.ok(!body.includes(SECRET));
      assert.match((await open(HOME)).body, /nothing verified yet/);
    });

    test('has three sections, from which everything is reachable', async () => {
      const { account } = await addNumber('+15551230502', { forwardTo: '+15551230077', speech: 'en-GB Polly.Amy' });
      const path = `${HOME}/accounts/${account}`;
      const { body } = await open(path);
      const sections = body.split('<section class="card"').slice(1);
      assert.deepEqual(
        sections.map((section) => /<h2>(.*?)<\/h2>/.exec(section)?.[1]),
        ['Set up', 'How calls are answered', 'Account'],
      );
      const [setup = '', answering = '', rest = ''] = sections;
      assert.equal(setup.match(/class="copies" aria-label="Copy (?:voice|status|recording) URL"/g)?.length, 3);
      assert.ok(setup.includes(`action="${path}/test#test"`));
      assert.match(
        answering,
        /it rings \(555\) 123-0077 for 20 s, then takes a message\. Voice: Amy \(female\), English/,
      );
      assert.ok(answering.includes(`href="${HOME}/numbers/new?account=${account}"`));
      for (const action of [path, `${path}/secrets`, `${path}/api`])
        assert.ok(rest.includes(`action="${action}"`), action);
      assert.ok(rest.includes(`href="${path}/remove"`));
      assert.match(rest, /Copy ID in Patchbay/);
      assert.doesNotMatch(body, /<details class="reveal" open>/);
      const refused = await submit(`${path}/api`, { 'api.keySid': 'x' });
      assert.match(refused.body, /<details class="reveal" open><summary>Add credentials/);
    });

    test("can't be added twice", async () => {
      const account = { accountId: newSid(), secret: SECRET };
      await submitted(`${HOME}/accounts/new?provider=twilio`, account);
      const { status, body } = await submit(`${HOME}/accounts/new?provider=twilio`, account);
      assert.equal(status, 409);
      assert.match(body, /The team already has this account/);
    });

    test('adds and removes secrets one by one, but keeps the last', async () => {
      const path = await addAccount();
      const refused = await submit(`${path}/secrets`, { secret: 'short' });
      assert.equal(refused.status, 400);
      assert.match(refused.body, /<strong>Auth token<\/strong> must be 32 digits and letters/);
      const added = await submitted(`${path}/secrets`, { secret: `${SECRET}-2` });
      const [link = '', second = ''] = added.body.match(/[^"]+\/secrets\/[^"]+\/remove/g) ?? [];
      assert.match((await open(link)).body, /hasn't verified any requests yet/);
      assert.equal((await open(`${path}/secrets/unknown/remove`)).status, 404);
      const removed = await submitted(link);
      assert.match(removed.body, /Secret removed/);
      assert.ok(!removed.body.includes('/remove" aria-label'), "the last one can't be removed");
      const last = await submit(second);
      assert.equal(last.status, 400);
      assert.match(last.body, /must include at least one/);
    });

    test('saves and removes the credentials for recordings', async () => {
      const path = await addAccount();
      const saved = await submitted(`${path}/api`, { 'api.keySid': `SK${'1'.repeat(32)}`, 'api.keySecret': SECRET });
      assert.match(saved.body, /Set: API key SID, API key secret\./);
      assert.ok(!saved.body.includes(`SK${'1'.repeat(32)}`));
      assert.match((await submitted(`${path}/api`)).body, /Nothing is set/);
      assert.equal((await submit(`${path}/api`, { 'api.keySid': 'x' })).status, 400);
    });

    test('observes for one week, no matter how often it is saved', async () => {
      const path = await addAccount();
      const id = path.split('/').at(-1);
      const { accountId } = await api('GET', `/api/telephony/accounts/${id}`);
      assert.match((await open(path)).body, /Verifies requests<\/span> · nothing received yet/);
      await submitted(path, { accountId, observe: 'on' });
      const begun = await api('GET', `/api/telephony/accounts/${id}`);
      clock.advance(60_000);
      const saved = await submitted(path, { accountId, observe: 'on', removesArchived: 'on' });
      assert.match(saved.body, /Answers unverified requests/);
      const after = await api('GET', `/api/telephony/accounts/${id}`);
      assert.deepEqual([after.observeUntil, after.removesArchived], [begun.observeUntil, true]);
      const countChanges = async () =>
        (
          await stage.app.database.all(
            "select id from audit_events where action = 'telephony.account.change' and target = $1",
            [id ?? ''],
          )
        ).length;
      assert.equal(await countChanges(), 2);
      await submitted(path, { accountId, observe: 'on', removesArchived: 'on' });
      assert.equal(await countChanges(), 2, 'saving without a change leaves no entry');
      const refused = await submit(path, { accountId: 'another' });
      assert.equal(refused.status, 400);
      assert.match(refused.body, /must be AC followed by 32 digits and letters/);
      assert.match(refused.body, /value="another"/);
    });

    test('says why requests are refused, holds them in observe mode, and releases those that verify', async () => {
      const path = await addAccount({ observe: 'on' });
      const id = path.split('/').at(-1) ?? '';
      const key = twilio.newKey();
      assert.equal((await ring(id, key)).statusCode, 200);
      await stage.app.telephony.settle();
      const held = await open(path);
      assert.match(held.body, /1 of at most 1000 requests/);
      assert.match(held.body, /Most likely, the secret here is not the one at the provider/);
      assert.match((await open(HOME)).body, /Secret or URL doesn&#39;t match/);
      assert.match((await submitted(`${path}/release`)).body, /None could be verified yet/);
      await submitted(`${path}/secrets`, { secret: key.secret });
      assert.match((await submitted(`${path}/release`)).body, /All requests that were set aside were verified/);
    });

    test('is removed with its numbers, after a question', async () => {
      const { account } = await addNumber('+15551230501');
      const asked = await open(`${HOME}/accounts/${account}/remove`);
      assert.match(asked.body, /\+15551230501/);
      assert.match((await submitted(`${HOME}/accounts/${account}/remove`)).body, /Account removed/);
      assert.equal((await open(`${HOME}/accounts/${account}`)).status, 404);
    });
  });

  describe('a setup test', () => {
    const tested = async (path: string, behind: Proxy = {}) => {
      proxy = behind;
      try {
        const { status, body } = await submit(`${path}/test`);
        assert.equal(status, 200);
        return body.slice(body.indexOf('class="phone-test"'), body.indexOf('Test again'));
      } finally {
        proxy = {};
      }
    };
    /** The test reaches the URL, but because it's one of this machine, no provider could. */
    const LOCAL = 'No: only works on this machine';
    const states = (result: string): string[] =>
      [...result.matchAll(/>(Yes|No|Skipped)<(.*?)<\/li>/g)].map(([, state = '', words = '']) =>
        words.includes('only works on this machine') ? LOCAL : state,
      );

    for (const sender of SENDERS)
      test(`takes the path of a call from ${sender.provider} and leaves no trace`, async () => {
        const { path } = await submitted(`${HOME}/accounts/new?provider=${sender.provider}`, {
          accountId: sender.newAccountId(),
          secret: sender.newKey().secret,
        });
        // What earlier tests delivered may still be on its way to the list.
        await stage.app.telephony.settle();
        const { calls } = await api('GET', '/api/calls');
        const result = await tested(path);
        // With a public key nothing can be signed.
        const last = sender.provider === 'telnyx' ? 'Skipped' : 'Yes';
        assert.deepEqual(states(result), [LOCAL, 'Yes', last], result);
        await stage.app.telephony.settle();
        const account = await api('GET', `/api/telephony/accounts/${path.split('/').at(-1)}`);
        assert.deepEqual([account.refusals, account.held.count, account.secrets[0].lastUsedAt], [[], 0, null]);
        assert.deepEqual((await api('GET', '/api/calls')).calls, calls);
      });

    for (const [what, behind, expected, words] of [
      ['no response', { answers: null }, ['No', 'Skipped', 'Skipped'], /Nothing responds at/],
      ['another service', { answers: { status: 404 } }, ['No', 'Skipped', 'Skipped'], /Something else responds/],
      [
        'a redirect',
        { answers: { status: 301, headers: { location: 'https://elsewhere.example/' } } },
        ['No', 'Skipped', 'Skipped'],
        /redirects to <code>https:\/\/elsewhere.example/,
      ],
      [
        'someone who imitates us',
        { answers: { status: 200, body: '{"receipt":"guessed","target":"/","verdict":"ok"}' } },
        ['No', 'Skipped', 'Skipped'],
        /Something else responds/,
      ],
      [
        'a proxy that drops the query',
        { path: (target: string) => target.split('?')[0] ?? '' },
        ['No', 'Skipped', 'Skipped'],
        /didn't see the account/,
      ],
      [
        'a proxy that changes the address',
        { path: (target: string) => `${target}&from=proxy` },
        [LOCAL, 'No', 'Skipped'],
        /A proxy changes the URL/,
      ],
      [
        'a proxy that drops the signature',
        { drops: 'x-twilio-signature' },
        [LOCAL, 'Yes', 'No'],
        /drops the header that carries it/,
      ],
      [
        'a proxy that changes the content',
        { body: (text: string) => (text === '' ? '' : `${text}&Added=1`) },
        [LOCAL, 'Yes', 'No'],
        /changes the content/,
      ],
    ] as const)
      test(`recognizes ${what}`, async () => {
        const result = await tested(await addAccount(), behind);
        assert.deepEqual(states(result), expected, result);
        assert.match(result, words);
      });

    test("can't be requested by anyone else: a ticket is for one account and one minute", async () => {
      const path = await addAccount();
      const other = await addAccount();
      let seen: IncomingMessage['headers'] = {};
      const listen = (request: IncomingMessage) => {
        seen = request.headers;
      };
      front.on('request', listen);
      await tested(path);
      front.off('request', listen);
      const ticket = String(seen['patchbay-test']);
      const ask = async (id: string | undefined) =>
        (
          await stage.server.inject({
            url: `/api/webhooks/telephony/voice?account=${id}`,
            headers: { 'patchbay-test': ticket },
          })
        ).json();
      assert.ok('receipt' in (await ask(path.split('/').at(-1))));
      assert.deepEqual(await ask(other.split('/').at(-1)), { status: 'ok', endpoint: 'telephony.voice' });
      clock.advance(61_000);
      assert.deepEqual(await ask(path.split('/').at(-1)), { status: 'ok', endpoint: 'telephony.voice' });
    });

    test('sends no secret before it knows that it has reached itself', async () => {
      const path = (
        await submitted(`${HOME}/accounts/new?provider=bandwidth`, {
          accountId: '5500',
          secret: `user:${SECRET}-and-longer`,
        })
      ).path;
      const seen: string[] = [];
      const listen = ({ method, headers }: IncomingMessage) => seen.push(`${method} ${headers.authorization}`);
      front.on('request', listen);
      await tested(path, { answers: { status: 200, body: '{"status":"ok"}' } });
      front.off('request', listen);
      assert.deepEqual(seen, ['GET undefined']);
    });
  });

  describe('a number', () => {
    test('is answered as the form says, and the page says what a caller hears', async () => {
      const { path, body } = await addNumber('+1 (555) 123-0601', {
        label: 'Front desk',
        greeting: 'Hello <there>.',
        forwardTo: '+1 555 123 0077\r\n\r\n+15551230078',
        ringSeconds: '30',
        record: 'on',
        notice: 'We listen.',
        hours: 'team',
        outsideRings: 'nobody',
        outsideGreeting: 'We are closed.',
        outsideVoicemail: 'no',
      });
      assert.match(body, /Number added/);
      assert.match(body, /<q>Hello &lt;there&gt;\.<\/q>/);
      assert.match(
        body,
        /\(555\) 123-0077 and \(555\) 123-0078 ring at the same time for 30 seconds\. The call is recorded\./,
      );
      assert.match(body, /<q>We are closed\.<\/q>/);
      const { answer, label, number } = await api('GET', `/api/telephony/numbers/${path.split('/').at(-1)}`);
      assert.deepEqual([number, label], ['+15551230601', 'Front desk']);
      assert.deepEqual(answer, {
        greeting: 'Hello <there>.',
        forwardTo: ['+15551230077', '+15551230078'],
        ringSeconds: 30,
        screen: false,
        voicemail: true,
        record: true,
        notice: 'We listen.',
        hours: { open: null, outside: { forwardTo: [], greeting: 'We are closed.', voicemail: false } },
      });
      assert.match(
        (await open(HOME)).body,
        /rings 2 phones for 30 s, then takes a message; outside business hours says/,
      );
    });

    test('speaks in a voice that its provider has, and the page says in which', async () => {
      const { path, account } = await addNumber('+15551230605', { greeting: 'Hola.', speech: 'es-MX Polly.Mia' });
      const id = path.split('/').at(-1) ?? '';
      const { body } = await open(path);
      assert.match(body, /<q>Hola\.<\/q> <span class="hint">Mia \(female\), Spanish \(Mexico\)<\/span>/);
      assert.match(body, /<q>Sorry[^<]*<\/q> <span class="hint">Twilio&#39;s standard voice, in English<\/span>/);
      assert.match(
        body,
        /<optgroup label="Spanish \(Mexico\)"><option value="es-MX Polly\.Mia" selected>Spanish \(Mexico\): Mia/,
      );
      const { answer } = await api('GET', `/api/telephony/numbers/${id}`);
      assert.deepEqual(answer.speech, { language: 'es-MX', voice: 'Polly.Mia' });
      const fields = { number: '+15551230605', account, voicemail: 'on', greeting: 'Hola.' };
      const refused = await submit(path, { ...fields, speech: 'es-MX Polly.Amy' });
      assert.equal(refused.status, 400);
      assert.match(
        refused.body,
        /<strong>Voice<\/strong> must be one of the voices that Twilio has for es-MX: Polly\.Mia/,
      );
      const { path: elsewhere } = await submitted(`${HOME}/accounts/new?provider=bandwidth`, {
        accountId: '5501',
        secret: `user:${SECRET}-and-longer`,
      });
      const moved = await submit(path, {
        ...fields,
        account: elsewhere.split('/').at(-1) ?? '',
        speech: 'es-MX Polly.Mia',
      });
      assert.equal(moved.status, 400);
      assert.match(moved.body, /the voices that Bandwidth has for es-MX: rosa/);
      assert.match(moved.body, /<option value="es-MX rosa">Spanish \(Mexico\): Rosa \(female\)/);
      assert.match(moved.body, /These are Bandwidth&#39;s voices/);
      assert.match((await submitted(path, { ...fields, speech: '' })).body, /<q>Hola\.<\/q> <span class="hint">Twilio/);
    });

    test('is refused in the API if its provider lacks the voice, with what it has', async () => {
      const { path } = await addNumber('+15551230606');
      const change = (speech: object | null) =>
        stage.server.inject({
          method: 'PATCH',
          url: `/api/telephony/numbers/${path.split('/').at(-1)}`,
          headers: team.admin.headers,
          payload: { answer: { speech } },
        });
      for (const [speech, at, words] of [
        [{ language: 'xx' }, 'body.answer.speech.language', /^must be one that Twilio speaks: arb, cmn-CN, .*en-US/],
        [{ language: 'en-GB', voice: 'Bea' }, 'body.answer.speech.voice', /for en-GB: Polly\.Amy, Polly\.Emma/],
        [{ voice: 'Polly.Amy' }, 'body.answer.speech.language', /missing/],
        [{ language: '' }, 'body.answer.speech', /./],
      ] as const) {
        const answered = await change(speech);
        assert.equal(answered.statusCode, 400, answered.body);
        const [error] = answered.json().errors;
        assert.ok(error.path.startsWith(at), JSON.stringify(error));
        assert.match(error.message, words);
      }
      assert.equal((await change({ language: 'en-GB', voice: null })).statusCode, 200);
      assert.match((await open(path)).body, /<option value="en-GB Polly\.Amy" selected>/);
      assert.equal((await change(null)).statusCode, 200);
    });

    test("that can't be used is shown again as it was filled in", async () => {
      const account = (await addAccount()).split('/').at(-1) ?? '';
      const filled = { account, forwardTo: '+15551230077', greeting: 'Still here' };
      const local = await submit(`${HOME}/numbers/new`, { ...filled, number: '0123' });
      assert.equal(local.status, 400);
      assert.match(local.body, /<strong>Number<\/strong> must be a phone number with a country code/);
      assert.match(local.body, /Still here<\/textarea>/);
      for (const [fields, words] of [
        [{ forwardTo: '0123' }, /<strong>Phones to ring<\/strong> must be/],
        [{ ringSeconds: '1' }, /<strong>Ring time in seconds<\/strong>/],
        [{ ringSeconds: 'soon' }, /<strong>Ring time in seconds<\/strong>/],
        [{ hours: 'team', outsideRings: 'these', outsideForwardTo: 'x' }, /Phones to ring outside business hours/],
      ] as const) {
        const { status, body } = await submit(`${HOME}/numbers/new`, { ...filled, number: '+15551230602', ...fields });
        assert.equal(status, 400);
        assert.match(body, words);
      }
      assert.equal((await submit(`${HOME}/numbers/new`, { number: '+15551230602', account: 'unknown' })).status, 404);
    });

    test('keeps what only the API can set when the form is saved', async () => {
      const { path, account } = await addNumber('+15551230603');
      const id = path.split('/').at(-1);
      const day = [{ opens: '09:00', closes: '17:00' }];
      const open5 = { monday: day, tuesday: day, wednesday: day, thursday: day, friday: day, saturday: [], sunday: [] };
      const outside = { greeting: null, ringSeconds: 10, screen: true, forwardTo: ['+15551230099'] };
      await api('PATCH', `/api/telephony/numbers/${id}`, { answer: { hours: { open: open5, outside } } });
      assert.match((await open(path)).body, /<option value="own" selected>/);
      const fields = { number: '+15551230603', account, hours: 'own', outsideRings: 'these' };
      const saved = await submitted(path, { ...fields, outsideForwardTo: '+15551230098', outsideVoicemail: 'same' });
      assert.match(saved.body, /Saved/);
      const { answer } = await api('GET', `/api/telephony/numbers/${id}`);
      assert.deepEqual(answer.hours, { open: open5, outside: { ...outside, forwardTo: ['+15551230098'] } });
      const refused = await submit(path, { ...fields, number: '' });
      assert.equal(refused.status, 400);
      const never = Object.fromEntries(Object.keys(open5).map((name) => [name, []]));
      const blank = await stage.server.inject({
        method: 'PATCH',
        url: `/api/telephony/numbers/${id}`,
        headers: team.admin.headers,
        payload: { answer: { hours: { open: never, outside } } },
      });
      assert.equal(blank.statusCode, 400);
      assert.deepEqual(blank.json().errors, [
        { path: 'body.answer.hours.open', message: 'must have hours on at least one day' },
      ]);
    });

    test('is removed after a question', async () => {
      const { path } = await addNumber('+15551230604');
      assert.match((await open(`${path}/remove`)).body, /Remove \(555\) 123-0604\?/);
      assert.match((await submitted(`${path}/remove`)).body, /Number removed/);
      assert.equal((await open(path)).status, 404);
    });
  });

  test('erase a phone number after a question, and say what was erased', async () => {
    const key = twilio.newKey();
    const account = await addAccount({ secret: key.secret });
    await ring(account.split('/').at(-1) ?? '', key);
    await stage.app.telephony.settle();
    const list = async () => (await api('GET', `/api/calls?from=${encodeURIComponent(CALLER)}`)).calls.length;
    assert.ok((await list()) > 0);
    assert.match((await open(`${HOME}/erase`)).body, /recordings of these calls/);
    const asked = await submit(`${HOME}/erase`, { number: CALLER });
    assert.ok(asked.body.includes('Erase everything about (555) 123-0001?'));
    assert.ok((await list()) > 0, 'nothing is erased before the confirmation');
    const erased = await submit(`${HOME}/erase`, { number: CALLER, sure: 'yes' });
    assert.match(erased.body, /Erased: \d+ calls?, 0 recordings, and 0 requests that had been set aside/);
    assert.equal(await list(), 0);
    const own = await addNumber('+15551230701');
    const refused = await submit(`${HOME}/erase`, { number: '+15551230701', sure: 'yes' });
    assert.equal(refused.status, 400);
    assert.match(refused.body, /is one of the team&#39;s own numbers/);
    assert.equal((await open(own.path)).status, 200);
  });

  test('are closed to members, and to other teams', async () => {
    const { path: number, account } = await addNumber('+15551230801');
    const path = `${HOME}/accounts/${account}`;
    const secret = (await api('GET', `/api/telephony/accounts/${account}`)).secrets[0].id;
    const pages = [path, `${path}/remove`, `${path}/secrets/${secret}/remove`, number, `${number}/remove`];
    const forms = [path, `${path}/remove`, `${path}/secrets`, `${path}/secrets/${secret}/remove`, `${path}/api`];
    const more = [`${path}/test`, `${path}/release`, number, `${number}/remove`];
    for (const page of [HOME, `${HOME}/accounts/new`, `${HOME}/numbers/new`, `${HOME}/erase`, ...pages])
      assert.equal((await open(page, member)).status, 403, page);
    for (const page of pages) assert.equal((await open(page, stranger)).status, 404, page);
    for (const form of [...forms, ...more, `${HOME}/accounts/new?provider=twilio`, `${HOME}/numbers/new`])
      assert.equal((await submit(form, {}, member)).status, 403, form);
    for (const form of [...forms, ...more]) assert.equal((await submit(form, {}, stranger)).status, 404, form);
    const foreign = await submit(`${HOME}/numbers/new`, { number: '+15551230802', account }, stranger);
    assert.equal(foreign.status, 404);
    assert.equal((await open(path)).status, 200);
  });
});
