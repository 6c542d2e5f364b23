import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { verdictOf } from '../../../../test/harness/provider-contract.ts';
import { deliver, payloads } from '../../../../test/harness/vendors/bandwidth.ts';
import { readFixture, targetOf, withHeaders } from '../../../../test/harness/vendors/deliver.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { bandwidth } from './index.ts';

const SECRET = 'patchbay:Zp3vWq8LxT6nRb1YkD5mHs9C';
const VOICE = targetOf();
const initiate = payloads['initiate'] ?? {};
const basic = (secret: string): string => `Basic ${btoa(secret)}`;

const verify = (delivery: Delivery) =>
  bandwidth.verify(delivery, [{ id: 's1', value: SECRET }], { publicUrl: 'https://hooks.example.test', now: 0 });
const verdictWith = (authorization: string | undefined, secrets: readonly string[] = [SECRET]): string =>
  verdictOf(bandwidth, withHeaders(deliver('initiate'), { authorization }), { secrets, now: 0 });

describe('a name and password', () => {
  for (const { name, secret, authorization } of readFixture<Record<'name' | 'secret' | 'authorization', string>[]>(
    'bandwidth',
    'signatures',
  ))
    test(`match nothing else: ${name}`, () => {
      for (const other of [
        `${secret}x`,
        secret.slice(0, -1),
        ` ${secret}`,
        secret.toUpperCase(),
        secret.replace(':', ' :'),
      ])
        assert.equal(verdictWith(authorization, [other]), 'bad_signature', other);
    });

  test('are requested if there are none', () => {
    for (const authorization of [undefined, '', 'Basic', 'Basic ', 'Bearer abc', 'Digest username="patchbay"'])
      assert.equal(verdictWith(authorization), 'missing', authorization);
    assert.match(bandwidth.challenge ?? '', /^Basic realm="[^"]+"$/);
  });

  test('are refused if guessed, and if the account has none or only half', () => {
    assert.equal(verdictWith(basic('patchbay:guess')), 'bad_signature');
    assert.equal(verdictWith('Basic !!!'), 'bad_signature');
    for (const empty of [':', 'patchbay:', ':password', 'undefined'])
      assert.equal(verdictWith(basic(empty), [empty]), 'bad_signature', empty);
    assert.equal(verdictWith(basic(''), ['']), 'missing');
  });

  test('are accepted whatever they contain, and no others are', () => {
    const half = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme-ascii' });
    const credentials = fc.tuple(half, half).map(([name, password]) => `${name.replaceAll(':', '_')}:${password}`);
    fc.assert(
      fc.property(credentials, credentials, (mine, other) => {
        assert.equal(verdictWith(basic(mine), [mine]), 's1');
        assert.equal(verdictWith(basic(other), [mine]), other === mine ? 's1' : 'bad_signature');
      }),
    );
  });
});

test('a client that waits for a challenge gets one, and is then let in', async () => {
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
