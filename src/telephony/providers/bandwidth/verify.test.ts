import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Delivery } from '../../contract/delivery.ts';
import { bandwidth } from './index.ts';

type Vector = { name: string; secret: string; authorization: string };

const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'));
const vectors: Vector[] = fixture('signatures');
const { initiate } = fixture('deliveries');

const VOICE = '/api/webhooks/telephony/voice';
const SECRET = 'patchbay:Zp3vWq8LxT6nRb1YkD5mHs9C';
const context = { publicUrl: 'https://hooks.example.test', now: 0 };
const basic = (secret: string): string => `Basic ${btoa(secret)}`;

type Bent = {
  method?: Delivery['method'];
  target?: string;
  body?: string;
  type?: string;
  authorization?: string | undefined;
};

const deliver = ({
  method = 'POST',
  target = `${VOICE}?account=a1`,
  body = JSON.stringify(initiate),
  type = 'application/json',
  authorization,
}: Bent = {}): Delivery => ({
  route: 'voice',
  method,
  target,
  headers: { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) },
  body: Buffer.from(body),
});

const verify = (delivery: Delivery, secrets = [SECRET]) =>
  bandwidth.verify(
    delivery,
    secrets.map((value, index) => ({ id: `s${index + 1}`, value })),
    context,
  );
const reasonOf = (bent: Bent, secrets?: string[]): string => {
  const verdict = verify(deliver(bent), secrets);
  return verdict.ok ? 'accepted' : verdict.reason;
};

describe('a name and password as the standard writes them', () => {
  for (const { name, secret, authorization } of vectors) {
    test(`are taken for what they are: ${name}`, () => assert.equal(reasonOf({ authorization }, [secret]), 'accepted'));

    test(`fit nothing else: ${name}`, () => {
      for (const other of [
        `${secret}x`,
        secret.slice(0, -1),
        ` ${secret}`,
        secret.toUpperCase(),
        secret.replace(':', ' :'),
      ])
        assert.equal(reasonOf({ authorization }, [other]), 'bad_signature', other);
      assert.equal(reasonOf({ authorization: `${authorization}=` }, [secret]), 'bad_signature');
      assert.equal(reasonOf({ authorization: authorization.replace(/=+$/, '') }, [secret]), 'bad_signature');
    });
  }
});

describe('a delivery', () => {
  test('is let in with any of the secrets, and it is known with which', () => {
    assert.deepEqual(verify(deliver({ authorization: basic(SECRET) })), { ok: true, secretId: 's1' });
    assert.deepEqual(verify(deliver({ authorization: basic(SECRET) }), ['older:password', SECRET]), {
      ok: true,
      secretId: 's2',
    });
  });

  test('without a name and password is asked for them', () => {
    for (const authorization of [undefined, '', 'Basic', 'Basic ', 'Bearer abc', 'Digest username="patchbay"'])
      assert.equal(reasonOf({ authorization }), 'missing', authorization);
    assert.match(bandwidth.challenge ?? '', /^Basic realm="[^"]+"$/);
  });

  test('is refused with others, and where the account has none', () => {
    assert.equal(reasonOf({ authorization: basic('patchbay:guess') }), 'bad_signature');
    assert.equal(reasonOf({ authorization: 'Basic !!!' }), 'bad_signature');
    assert.equal(reasonOf({ authorization: basic(SECRET) }, []), 'bad_signature');
    for (const empty of [':', 'patchbay:', ':password', 'undefined'])
      assert.equal(reasonOf({ authorization: basic(empty) }, [empty]), 'bad_signature', empty);
    assert.equal(reasonOf({ authorization: basic('') }, ['']), 'missing');
  });

  test('is let in with whatever name and password there is, and with no other', () => {
    const half = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme-ascii' });
    const credentials = fc.tuple(half, half).map(([name, password]) => `${name.replaceAll(':', '_')}:${password}`);
    fc.assert(
      fc.property(credentials, credentials, (mine, other) => {
        assert.equal(reasonOf({ authorization: basic(mine) }, [mine]), 'accepted');
        assert.equal(reasonOf({ authorization: basic(other) }, [mine]), other === mine ? 'accepted' : 'bad_signature');
      }),
    );
  });

  test('is refused where it could be read in two ways', () => {
    const authorization = basic(SECRET);
    const said = JSON.stringify(initiate);
    const query = new URLSearchParams({ eventType: 'initiate', callId: 'c-1' });
    for (const [what, bent] of [
      ['a query of somebody else', { target: `${VOICE}?account=a1&callId=c-2` }],
      ['a step named twice', { target: `${VOICE}?step=status&step=dialed` }],
      ['a field named twice', { method: 'GET', target: `${VOICE}?${query}&callId=c-2`, body: '' }],
      ['a GET that has a body too', { method: 'GET', target: `${VOICE}?${query}` }],
      ['a form', { type: 'application/x-www-form-urlencoded' }],
      ['no type', { type: '' }],
      ['a list', { body: `[${said}]` }],
      ['half of it', { body: said.slice(0, -9) }],
      ['nothing', { body: '' }],
      ['an id that is an address', { body: JSON.stringify({ ...initiate, callId: '../c-1' }) }],
      ['an id with an address behind it', { body: JSON.stringify({ ...initiate, callId: 'c-1/../x' }) }],
      ['an id that is too long', { body: JSON.stringify({ ...initiate, parentCallId: 'c'.repeat(129) }) }],
      ['a recording with more behind it', { body: JSON.stringify({ ...initiate, recordingId: 'r-1?x' }) }],
      ['an id that is a number', { body: JSON.stringify({ ...initiate, callId: 1 }) }],
      ['a recording that is an object', { body: JSON.stringify({ ...initiate, recordingId: {} }) }],
      ['no kind of event', { body: JSON.stringify({ ...initiate, eventType: undefined }) }],
      ['a kind of event that is none', { body: JSON.stringify({ ...initiate, eventType: 'a b' }) }],
      ['a kind of event with more behind it', { body: JSON.stringify({ ...initiate, eventType: 'initiate2' }) }],
    ] as const)
      assert.equal(reasonOf({ ...bent, authorization }), 'malformed', what);
  });

  test('is let in by GET, with our own params, and with ids that are null', () => {
    const authorization = basic(SECRET);
    const query = new URLSearchParams({ account: 'a1', eventType: 'initiate', callId: 'c-1', to: '+15551230200' });
    assert.equal(reasonOf({ authorization, method: 'GET', target: `${VOICE}?${query}`, body: '' }), 'accepted');
    assert.equal(reasonOf({ authorization, target: `${VOICE}?account=a&number=n&step=dialed&screen=1` }), 'accepted');
    assert.equal(reasonOf({ authorization, body: JSON.stringify({ ...initiate, parentCallId: null }) }), 'accepted');
  });
});

test('a client that waits to be asked is asked, and then let in', async () => {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { headers, url: target = '' } = incoming;
      const verdict = verify({ route: 'voice', method: 'POST', target, headers, body: Buffer.concat(chunks) });
      if (verdict.ok) response.writeHead(204).end();
      else response.writeHead(401, { 'www-authenticate': bandwidth.challenge ?? '' }).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const post = (auth?: string): Promise<{ status: number | undefined; challenge: string | undefined }> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json;charset=utf-8' };
      request({
        port,
        host: '127.0.0.1',
        path: VOICE,
        method: 'POST',
        headers,
        agent: false,
        ...(auth ? { auth } : {}),
      })
        .on('response', (response) => {
          response.resume();
          resolve({ status: response.statusCode, challenge: response.headers['www-authenticate'] });
        })
        .on('error', reject)
        .end(JSON.stringify(initiate));
    });
  try {
    const asked = await post();
    assert.equal(asked.status, 401);
    assert.match(asked.challenge ?? '', /^Basic /);
    assert.equal((await post(SECRET)).status, 204);
    assert.equal((await post(`${SECRET}x`)).status, 401);
  } finally {
    server.close();
  }
});

describe('what an admin types in', () => {
  const { secret, accountId } = bandwidth.rules;

  test('is a name and a long password', () => {
    assert.match(SECRET, secret.pattern);
    for (const weak of [
      '',
      'patchbay',
      'patchbay:',
      ':Zp3vWq8LxT6nRb1YkD5mHs9C',
      'patchbay:hunter2',
      `a b:${'x'.repeat(30)}`,
    ])
      assert.doesNotMatch(weak, secret.pattern);
  });

  test('is an account id of digits', () => {
    assert.match('9900778', accountId?.pattern ?? /^$/);
    assert.doesNotMatch('../9900778', accountId?.pattern ?? /^/);
  });
});
