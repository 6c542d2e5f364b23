import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import {
  FORM_TYPE,
  JSON_TYPE,
  type Line,
  openLine,
  printBody,
  SENDERS,
  type Sender,
  type Sent,
  send,
  senderOf,
  type Told,
  vonageClaims,
} from '../harness/telephony-senders.ts';
import { COLLEAGUE, openTelephonyStage, RECORDING, SERVICE_URL, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { sign as signToken } from '../harness/vendors/vonage.ts';

const EVIL = 'https://evil.example';
const SPOOFED = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '443',
  forwarded: 'host=evil.example;proto=https',
  'x-original-url': `${EVIL}${VOICE}`,
};

/** A line and its neighbors: the same team's second account, and another team's. */
type Scene = { line: Line; sister: Line; foreign: Line };

/** What is sent in place of the honest request, which is accepted afterwards. */
type Forgery = (honest: Sent, scene: Scene) => Sent;

const withHeaders = (sent: Sent, change: (value: string, name: string) => string): Sent => ({
  ...sent,
  headers: Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [name, change(value, name)])),
});

const bodyOf = ({ body }: Pick<Sent, 'body'>): string => body.toString();

const EVERYWHERE: Record<string, Forgery> = {
  'no proof at all': (honest) => ({ ...honest, headers: {} }),
  'an empty proof': (honest) => withHeaders(honest, () => ''),
  'a proof that is cut short': (honest) => withHeaders(honest, (value) => value.slice(0, -4)),
  'a proof with something behind it': (honest) => withHeaders(honest, (value) => `${value}AAAA`),
  'a proof of one letter': (honest) => withHeaders(honest, () => 'A'),
  'a proof of ten thousand letters': (honest) => withHeaders(honest, () => 'A'.repeat(10_000)),
  'the words that unset variables leave': (honest) => withHeaders(honest, () => 'undefined'),
  'a key that nobody has': (honest, { line }) => line.sign(honest, {}, line.sender.newKey()),
  "the key of the team's other account": (honest, { line, sister }) => line.sign(honest, {}, sister.key),
  "another team's key": (honest, { line, foreign }) => line.sign(honest, {}, foreign.key),
  "its own key, for another team's account": (honest, { line, foreign }) =>
    line.sign({ ...honest, target: honest.target.replace(line.account.id, foreign.account.id) }),
  'an account that there is not': (honest, { line }) =>
    line.sign({ ...honest, target: honest.target.replace(line.account.id, 'unknown') }),
  'two accounts': (honest, { line, foreign }) =>
    line.sign({ ...honest, target: `${honest.target}&account=${foreign.account.id}` }),
};

const ADDRESS_SIGNED: Record<string, Forgery> = {
  'a host that only the headers name': (honest, { line }) => {
    const signed = line.sign(honest, { at: EVIL });
    return { ...signed, headers: { ...signed.headers, ...SPOOFED } };
  },
  'https, because a header says so': (honest, { line }) => {
    const signed = line.sign(honest, { at: SERVICE_URL.replace('http:', 'https:') });
    return { ...signed, headers: { ...signed.headers, 'x-forwarded-proto': 'https' } };
  },
  'the other address': (honest, { line }) => ({
    ...line.sign({ ...honest, target: honest.target.replace(VOICE, RECORDING) }),
    target: honest.target,
  }),
  'another step': (honest, { line }) => ({
    ...line.sign({ ...honest, target: `${honest.target}&step=status` }),
    target: `${honest.target}&step=dialed`,
  }),
  'no step where one was signed': (honest, { line }) => ({
    ...line.sign({ ...honest, target: `${honest.target}&step=status` }),
    target: honest.target,
  }),
  'another number': (honest, { line }) => ({
    ...line.sign({ ...honest, target: `${honest.target}&number=1` }),
    target: `${honest.target}&number=2`,
  }),
  'a slash more': (honest, { line }) => ({
    ...line.sign({ ...honest, target: honest.target.replace('?', '/?') }),
    target: honest.target,
  }),
};

const CONTENT_SIGNED: Record<string, Forgery> = {
  'another caller': (honest) => ({ ...honest, body: bodyOf(honest).replace('5551230001', '5559990001') }),
  'something more': (honest) => ({
    ...honest,
    body:
      honest.type === FORM_TYPE
        ? `${bodyOf(honest)}&CallerName=Mallory`
        : bodyOf(honest).replace(/\}$/, ',"caller":"Mallory"}'),
  }),
  'the proof of another delivery': (honest, { line }) => {
    const other = line.honest(line.sender.ends(line.accountId, line.sender.newCallId()));
    return { ...honest, headers: other.headers };
  },
  'nothing to say': (honest) => ({ ...honest, body: '' }),
  'something said twice': (honest) => ({
    ...honest,
    body:
      honest.type === FORM_TYPE
        ? `${bodyOf(honest)}&From=%2B15559990001`
        : bodyOf(honest).replace(/\}$/, ',"from":"15559990001"}'),
  }),
  'another caller, by GET': (honest, { line }) => {
    const fields = honest.type === FORM_TYPE ? bodyOf(honest) : `${new URLSearchParams(JSON.parse(bodyOf(honest)))}`;
    const changed = fields.replace('5551230001', '5559990001');
    return { ...honest, method: 'GET', body: '', target: `${line.targetOf({ route: 'voice' })}&${changed}` };
  },
};

/** A form, split in other places: names and values are signed without separators. */
const cut = (honest: Sent, change: (fields: Record<string, string>) => Record<string, string>): Sent => ({
  ...honest,
  body: printBody(FORM_TYPE, change(Object.fromEntries(new URLSearchParams(bodyOf(honest))))),
});

/** Moves the first letters of a value to its name, or the last ones of a name to its value. */
const shift = (fields: Record<string, string>, name: string, by: number): Record<string, string> => {
  const text = `${name}${fields[name]}`;
  const { [name]: _, ...others } = fields;
  return { ...others, [text.slice(0, name.length + by)]: text.slice(name.length + by) };
};

/** Merges it into the one before. */
const swallow = (fields: Record<string, string>, name: string): Record<string, string> => {
  const names = Object.keys(fields).sort();
  const before = names[names.indexOf(name) - 1] ?? assert.fail(`${name} is the first`);
  const { [name]: swallowed, ...others } = fields;
  return { ...others, [before]: `${fields[before]}${name}${swallowed}` };
};

const SIGNED_WITHOUT_SEPARATORS: Record<string, Forgery> = {
  'a value that is said twice and signed once': (honest) => ({
    ...honest,
    body: `${bodyOf(honest)}&${bodyOf(honest).split('&').at(-1)}`,
  }),
  'a call id that swallows what follows': (honest) =>
    cut(honest, (fields) => swallow(fields, 'CallSid' in fields ? 'CallStatus' : 'Direction')),
  'a form that is called JSON': (honest) => ({ ...honest, type: JSON_TYPE }),
  'a form that is called nothing': (honest) => ({ ...honest, type: 'text/plain' }),
};

const BY_PROVIDER: Record<string, Record<string, Forgery>> = {
  twilio: {
    'a JSON body that is not the one of its digest': (honest, { line }) => {
      const body = JSON.stringify(Object.fromEntries(new URLSearchParams(bodyOf(honest))));
      const target = `${honest.target}&bodySHA256=${hash('sha256', body, 'hex')}`;
      const signed = line.sign({ method: 'POST', target, type: JSON_TYPE, body });
      return { ...signed, body: body.replace('ringing', 'completed') };
    },
    'a JSON body without a digest': (honest, { line }) =>
      line.sign({ ...honest, type: JSON_TYPE, body: JSON.stringify({ CallSid: line.sender.newCallId() }) }),
    "SignalWire's header": (honest) => ({
      ...honest,
      headers: { 'x-signalwire-signature': honest.headers['x-twilio-signature'] ?? '' },
    }),
  },
  telnyx: {
    'a GET, whose query nobody signs': (honest, { line }) => {
      const signed = line.sign({ ...honest, method: 'GET', body: '' });
      return { ...signed, target: `${honest.target}&${bodyOf(honest)}` };
    },
    'another time': (honest) => ({
      ...honest,
      headers: { ...honest.headers, 'telnyx-timestamp': String(Number(honest.headers['telnyx-timestamp']) + 1) },
    }),
    'facts in the query beside the signed ones': (honest) => ({ ...honest, target: `${honest.target}&From=anonymous` }),
    'a form that is called JSON': (honest) => ({ ...honest, type: JSON_TYPE }),
  },
  plivo: {
    'a signature of the second version': (honest) => ({
      ...honest,
      headers: {
        'x-plivo-signature-v2': honest.headers['x-plivo-signature-v3'] ?? '',
        'x-plivo-signature-v2-nonce': honest.headers['x-plivo-signature-v3-nonce'] ?? '',
      },
    }),
    'another nonce': (honest) => ({
      ...honest,
      headers: { ...honest.headers, 'x-plivo-signature-v3-nonce': '12345678901234567890' },
    }),
    'a nonce that swallows the last value': (honest) => {
      const nonce = honest.headers['x-plivo-signature-v3-nonce'] ?? '';
      return { ...honest, headers: { ...honest.headers, 'x-plivo-signature-v3-nonce': `.${nonce}` } };
    },
  },
  vonage: Object.fromEntries(
    Object.entries<(claims: Record<string, unknown>) => { claims?: object; header?: object }>({
      'a token without an algorithm': () => ({ header: { typ: 'JWT', alg: 'none' } }),
      'a token that says another algorithm': () => ({ header: { typ: 'JWT', alg: 'RS256' } }),
      'a token with an extension': () => ({ header: { typ: 'JWT', alg: 'HS256', crit: ['exp'] } }),
      'a token without a digest': ({ payload_hash: _, ...claims }) => ({ claims }),
      'a token with the digest of nothing': (claims) => ({ claims: { ...claims, payload_hash: hash('sha256', '') } }),
      'a token without an id': ({ jti: _, ...claims }) => ({ claims }),
      'a token without a time': ({ iat: _, ...claims }) => ({ claims }),
      'a token whose time is a text': (claims) => ({ claims: { ...claims, iat: String(claims['iat']) } }),
      'a token that has expired': (claims) => ({ claims: { ...claims, exp: Number(claims['iat']) - 1 } }),
      'a token of somebody else': (claims) => ({ claims: { ...claims, iss: 'Mallory' } }),
    }).map(([what, change]): [string, Forgery] => [
      what,
      (honest, { line }) => {
        const claims = vonageClaims(honest.body, Date.parse('2026-11-15T12:00:00Z'));
        const { claims: changed = claims, header = { typ: 'JWT', alg: 'HS256' } } = change(claims);
        const token = signToken({ ...changed }, { secret: line.key.secret, header: { ...header } });
        return { ...honest, headers: { authorization: `Bearer ${token}` } };
      },
    ]),
  ),
  bandwidth: Object.fromEntries(
    Object.entries<(secret: string) => string>({
      'the name without the password': (secret) =>
        `Basic ${Buffer.from(secret.split(':')[0] ?? '').toString('base64')}`,
      'the name with an empty password': (secret) =>
        `Basic ${Buffer.from(`${secret.split(':')[0]}:`).toString('base64')}`,
      'the password without the name': (secret) =>
        `Basic ${Buffer.from(`:${secret.split(':')[1]}`).toString('base64')}`,
      'the password in capitals': (secret) => `Basic ${Buffer.from(secret.toUpperCase()).toString('base64')}`,
      'a letter after the password': (secret) => `Basic ${Buffer.from(`${secret}a`).toString('base64')}`,
      'the secret as it is': (secret) => `Basic ${secret}`,
      'the secret as a bearer': (secret) => `Bearer ${secret}`,
      'another scheme': (secret) => `Digest ${Buffer.from(secret).toString('base64')}`,
    }).map(([what, change]): [string, Forgery] => [
      what,
      (honest, { line }) => ({ ...honest, headers: { authorization: change(line.key.secret) } }),
    ]),
  ),
};

const forgeriesOf = (sender: Sender): Record<string, Forgery> => ({
  ...EVERYWHERE,
  ...(sender.covers.address ? ADDRESS_SIGNED : {}),
  ...(sender.covers.content ? CONTENT_SIGNED : {}),
  ...(sender.covers.address && sender.type === FORM_TYPE ? SIGNED_WITHOUT_SEPARATORS : {}),
  ...BY_PROVIDER[sender.provider],
});

onOneEngine('a forged delivery', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const expectRefused = async (sent: Sent, { sender }: Line, what: string) => {
    const answer = toAnswer(await send(stage, sent));
    const { code } = expectProblem(answer, sender.refusal, what);
    assert.equal(code, 'telephony.signature_invalid', what);
    if (sender.refusal === 401) assert.match(answer.headers['www-authenticate'] ?? '', /^Basic\b/, what);
    else assert.equal(answer.headers['www-authenticate'], undefined, what);
  };

  for (const sender of SENDERS) {
    test(`from ${sender.provider} is refused and leaves nothing, and its honest twin is accepted`, async () => {
      const line = await openLine(stage, sender);
      const scene = {
        line,
        sister: await openLine(stage, sender, { team: line.team }),
        foreign: await openLine(stage, sender),
      };
      const nothing = { deliveries: 0, calls: 0, recordings: 0, held: 0 };
      for (const [what, forge] of Object.entries(forgeriesOf(sender))) {
        const honest = line.honest(sender.rings(line.accountId, sender.newCallId()));
        const forged = forge(honest, scene);
        assert.notDeepEqual(forged, honest, `${what} is not forged at all`);
        await expectRefused(forged, line, `${sender.provider}: ${what}`);
      }
      assert.deepEqual(await line.count(), nothing, 'its own account');
      assert.deepEqual(await scene.foreign.count(), nothing, "the other team's account");
      assert.deepEqual(await scene.sister.count(), nothing, "the team's other account");
      const taken = await send(stage, line.honest(sender.rings(line.accountId, sender.newCallId())));
      assert.equal(taken.statusCode, 200, taken.body);
      assert.match(taken.body, /Welcome/);
      assert.deepEqual(await line.count(), { ...nothing, deliveries: 1, calls: 1 });
    });
  }

  describe('that only spells the honest one differently', () => {
    for (const sender of SENDERS.filter(({ type }) => type === FORM_TYPE)) {
      test(`is the same delivery to ${sender.provider}, or none`, async () => {
        const line = await openLine(stage, sender);
        const { fields, ...told } = sender.rings(line.accountId, sender.newCallId());
        const honest = line.honest({ ...told, fields: { ...fields, CallerName: 'JOHN DOE' } });
        assert.equal((await send(stage, honest)).statusCode, 200);
        const written = {
          'a space as %20': bodyOf(honest).replaceAll('+', '%20'),
          'in another order': bodyOf(honest).split('&').reverse().join('&'),
          'letters as codes': bodyOf(honest).replace('JOHN', '%4AOHN'),
          'an ampersand more': `${bodyOf(honest)}&`,
        };
        for (const [what, body] of Object.entries(written)) {
          const { statusCode } = await send(stage, { ...honest, body });
          assert.ok([200, 403].includes(statusCode), `${what}: ${statusCode}`);
          // If the bytes themselves are signed, other bytes are a forgery.
          if (!sender.covers.address) assert.equal(statusCode, 403, what);
        }
        assert.deepEqual(await line.count(), { deliveries: 1, calls: 1, recordings: 0, held: 0 });
      });
    }
  });

  const markup = SENDERS.filter(({ provider }) => provider === 'twilio' || provider === 'signalwire');
  const dialed = (line: Line, callId: string, more: Record<string, string> = {}): Told => {
    const { fields } = line.sender.rings(line.accountId, callId);
    return {
      route: 'voice',
      step: 'dialed',
      fields: {
        ...fields,
        CallStatus: 'in-progress',
        DialCallStatus: 'no-answer',
        DialCallSid: line.sender.newCallId(),
        ...more,
      },
    };
  };

  describe('with content signed for another one, split differently', () => {
    for (const sender of markup) {
      test(`says nothing that ${sender.provider} has not said`, async () => {
        const line = await openLine(stage, sender);
        const accepted: string[] = [];
        const said: Told[] = [
          sender.ends(line.accountId, sender.newCallId()),
          dialed(line, sender.newCallId(), { DialBridged: 'false', DialCallDuration: '17' }),
          sender.recorded(line.accountId, sender.newCallId(), sender.newCallId().replace(/^CA/, 'RE')),
        ];
        for (const told of said) {
          const honest = line.honest(told);
          for (const name of Object.keys(told.fields).filter((one) => one !== 'AccountSid')) {
            const cuts = {
              [`${name} one letter shorter`]: cut(honest, (fields) => shift(fields, name, -1)),
              [`${name} one letter longer`]: cut(honest, (fields) => shift(fields, name, 1)),
              [`${name} swallowed`]: cut(honest, (fields) => swallow(fields, name)),
            };
            for (const [what, sent] of Object.entries(cuts))
              if ((await send(stage, sent)).statusCode !== 403) accepted.push(what);
          }
        }
        assert.deepEqual(accepted, []);
        assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
        for (const told of said) assert.ok((await send(stage, line.honest(told))).statusCode < 300, 'the honest one');
      });

      test(`does not turn ${sender.provider}’s missed call into an answered one`, async () => {
        const line = await openLine(stage, sender, { answer: { forwardTo: [COLLEAGUE] } });
        const callId = sender.newCallId();
        const over = line.honest(dialed(line, callId, { DialCallStatus: 'completed', DialBridged: 'false' }));
        for (const sent of [
          line.honest(sender.rings(line.accountId, callId)),
          over,
          line.honest(sender.ends(line.accountId, callId)),
        ])
          assert.ok((await send(stage, sent)).statusCode < 300);
        const [honest] = await line.calls();
        assert.equal(honest.outcome, 'missed');
        // Neither the machine that picked up nor the leg is named anymore.
        await send(
          stage,
          cut(over, (fields) => shift(shift(fields, 'DialBridged', -1), 'DialCallSid', -1)),
        );
        assert.deepEqual(await line.calls(), [honest]);
      });

      test(`does not move the end of ${sender.provider}’s call`, async () => {
        const line = await openLine(stage, sender);
        const callId = sender.newCallId();
        const over = line.honest(sender.ends(line.accountId, callId));
        assert.equal((await send(stage, over)).statusCode, 204);
        const [honest] = await line.calls();
        assert.equal(honest.endedAt, '2026-11-15T12:00:20.000Z');
        stage.clock.advance(3_600_000);
        await send(
          stage,
          cut(over, (fields) => shift(shift(fields, 'Timestamp', -1), 'SequenceNumber', -1)),
        );
        assert.deepEqual(await line.calls(), [honest]);
      });

      test(`does not reach ${sender.provider}’s step from the text behind it`, async () => {
        const line = await openLine(stage, sender);
        const told = dialed(line, sender.newCallId());
        const honest = line.honest(told);
        const { AccountSid, ...rest } = told.fields;
        await expectRefused(
          { ...honest, target: `${honest.target}AccountSid${AccountSid}`, body: printBody(FORM_TYPE, rest) },
          line,
          'a step that swallows the account',
        );
        assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
        assert.equal((await send(stage, honest)).statusCode, 200);
      });

      test(`is not a GET that ${sender.provider} would have sent, whatever the caller’s name`, async () => {
        const line = await openLine(stage, sender);
        const invented = sender.newCallId();
        const injected = new URLSearchParams({
          AccountSid: line.accountId,
          CallSid: invented,
          CallStatus: 'ringing',
          From: '15559990001',
          To: '15551239999',
          Direction: 'inbound',
        });
        const CallerName = `M&${injected}&Rest=`;
        const told = dialed(line, sender.newCallId(), { CallerName });
        const honest = line.honest(told);
        const joined = Object.entries(told.fields)
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .flat()
          .join('');
        await expectRefused({ ...honest, method: 'GET', target: `${honest.target}${joined}`, body: '' }, line, 'a GET');
        // A caller with such a name is refused, too: it can't be told apart from a form that was split elsewhere.
        await expectRefused(honest, line, 'a name with params in it');
        assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
        const named = dialed(line, sender.newCallId(), { CallerName: 'M & SONS, FROM 12TO 15' });
        assert.equal((await send(stage, line.honest(named))).statusCode, 200);
      });

      test(`is not a delivery from ${sender.provider} by GET if anything in the address changed`, async () => {
        const line = await openLine(stage, sender);
        const { fields } = sender.rings(line.accountId, sender.newCallId());
        const query = new URLSearchParams({ ...fields, CallerName: 'JOHN DOE' }).toString();
        const target = `${line.targetOf({ route: 'voice' })}&${query}`;
        const honest = line.sign({ method: 'GET', target, type: '', body: '' });
        const changed = {
          'a space as %20': target.replace('JOHN+DOE', 'JOHN%20DOE'),
          'a letter as a code': target.replace('JOHN', '%4AOHN'),
          'in another order': `${line.targetOf({ route: 'voice' })}&${query.split('&').reverse().join('&')}`,
          'the account last': `${VOICE}?${query}&account=${line.account.id}`,
          'another caller': target.replace('5551230001', '5559990001'),
          'something twice': `${target}&From=%2B15559990001`,
          'an empty one more': `${target}&`,
          'the other address': target.replace(VOICE, RECORDING),
        };
        for (const [what, other] of Object.entries(changed))
          await expectRefused({ ...honest, target: other }, line, what);
        await expectRefused({ ...honest, method: 'POST', type: FORM_TYPE }, line, 'by POST');
        assert.deepEqual(await line.count(), { deliveries: 0, calls: 0, recordings: 0, held: 0 });
        assert.equal((await send(stage, honest)).statusCode, 200);
        assert.deepEqual(await line.count(), { deliveries: 1, calls: 1, recordings: 0, held: 0 });
      });
    }
  });

  test('for a removed account, or signed with a removed key, is refused', async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const url = `/api/telephony/accounts/${line.account.id}`;
    const { headers } = line.team.admin;
    const fresh = () => line.honest(sender.rings(line.accountId, sender.newCallId()));
    const patched = await stage.server.inject({
      method: 'PATCH',
      url,
      headers,
      payload: { secrets: ['another-secret'] },
    });
    assert.equal(patched.statusCode, 200, patched.body);
    await expectRefused(fresh(), line, 'a key that was taken away');
    await stage.server.inject({ method: 'PATCH', url, headers, payload: { addSecret: line.key.secret } });
    assert.equal((await send(stage, fresh())).statusCode, 200, 'The key is back.');
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers })).statusCode, 204);
    await expectRefused(fresh(), line, 'an account that was removed');
    assert.deepEqual(await line.count(), { deliveries: 1, calls: 1, recordings: 0, held: 0 });
  });

  test("without our account's id belongs to whoever's secret verifies it, and to nobody else", async () => {
    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const foreign = await openLine(stage, sender, { accountId: line.accountId });
    const print = () => ({ ...line.print(sender.rings(line.accountId, sender.newCallId())), target: VOICE });
    await expectRefused(line.sign(print(), {}, sender.newKey()), line, 'a key of neither');
    assert.equal((await send(stage, line.sign(print()))).statusCode, 200);
    assert.deepEqual([(await line.count()).calls, (await foreign.count()).calls], [1, 0]);
    assert.equal((await send(stage, foreign.sign(print()))).statusCode, 200);
    assert.deepEqual([(await line.count()).calls, (await foreign.count()).calls], [1, 1]);
  });
});
