import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import {
  CANARY,
  expectFailure,
  SOMEWHERE_PUBLIC,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../harness/test-internet.ts';

/** Hosts that a URL can name without asking any name server. */
const LITERALS = {
  'loopback, in every spelling that the URL parser reads': [
    ...['127.0.0.1', '127.1', '127.0.0.1.', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001'],
    ...['①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.0.0.1', '%31%32%37.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]'],
  ],
  'loopback inside an IPv6 address': [
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]'],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
    '[2001:0:7f00:1::80ff:fffe]',
  ],
  'this host': ['0.0.0.0', '0', '0.1.2.3', '[::]'],
  'private networks': [
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '[fc00::1]', '[fdff::1]', '[fec0::1]'],
  ],
  'the metadata services of clouds': [
    ...[
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[fe80::a9fe:a9fe]',
    ],
    ...['[fd00:ec2::254]', '[fd20:ce::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ],
  'addresses that are nobody’s': [
    ...['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['[ff02::1]', '[2001:db8::1]', '[100::1]', '[3fff::1]', '[5f00::1]', '[4000::1]', '[1::1]'],
  ],
};

/** What an attacker's name server may return. The last ones aren't in a resolver's usual notation. */
const ANSWERS = [
  ...[
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '127.1',
    '0x7f.1',
    '',
    'x',
  ],
];

/** A name server that returns a public address first and loopback from then on. */
const rebind = () => {
  const answers = [SOMEWHERE_PUBLIC];
  return async () => [answers.pop() ?? '127.0.0.1'];
};

describe('a request to an internal address', () => {
  let names: Record<string, readonly string[]>;
  let resolved: string[];
  let internet: TestInternet;

  beforeEach(async () => {
    names = {};
    resolved = [];
    internet = await startTestInternet((_request, response) => response.end('reached'), {
      async resolve(host) {
        resolved.push(host);
        return names[host] ?? [SOMEWHERE_PUBLIC];
      },
    });
  });

  afterEach(() => internet.close());

  const refuse = (url: string) =>
    expectFailure(internet.outbound.request({ ...secretRequest, url }), 'refused_address');

  for (const [what, hosts] of Object.entries(LITERALS))
    test(`is refused: ${what}`, async () => {
      for (const host of hosts) await refuse(`https://${host}/?${CANARY}`);
      assert.deepEqual([internet.dialled, resolved], [[], []]);
    });

  test('is refused if a name resolves there, alone or next to a public address', async () => {
    for (const answer of ANSWERS)
      for (const answers of [[answer], [SOMEWHERE_PUBLIC, answer], [answer, SOMEWHERE_PUBLIC]]) {
        names['provider.test'] = answers;
        await refuse('https://provider.test/');
      }
    names['provider.test'] = [];
    await refuse('https://provider.test/');
    assert.deepEqual(internet.dialled, []);
  });

  test('is refused for localhost by the machine’s own resolver', async () => {
    const outbound = createOutbound({ allowPrivate: false });
    for (const host of ['localhost', 'LOCALHOST', 'ⅼocalhost'])
      await expectFailure(outbound.request({ ...secretRequest, url: `https://${host}/` }), 'refused_address');
  });

  test('is refused for every address in the private ranges, in every notation', async () => {
    const ranges = fc.constantFrom([10, 24], [127, 24], [0xa9fe, 16], [0xc0a8, 16], [0xac1, 20], [0, 24], [0xe, 28]);
    const address = fc.tuple(ranges, fc.nat(0xffffffff)).map(([[network = 0, free = 0], random]) => {
      return network * 2 ** free + (random % 2 ** free);
    });
    const bytes = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);
    const hex = (number: number) =>
      number
        .toString(16)
        .padStart(8, '0')
        .replace(/(....)(....)/, '$1:$2');
    const forms = fc.constantFrom<(number: number) => string>(
      (number) => bytes(number).join('.'),
      (number) => `${number}`,
      (number) => `0x${number.toString(16)}`,
      (number) =>
        bytes(number)
          .map((byte) => `0${byte.toString(8)}`)
          .join('.'),
      (number) =>
        bytes(number)
          .map((byte) => `0x${byte.toString(16)}`)
          .join('.'),
      (number) => `${Math.floor(number / 2 ** 24)}.${number % 2 ** 24}`,
      (number) => `[::ffff:${bytes(number).join('.')}]`,
      (number) => `[::${hex(number)}]`,
      (number) => `[::ffff:0:${hex(number)}]`,
      (number) => `[64:ff9b::${hex(number)}]`,
      (number) => `[64:ff9b:1::${hex(number)}]`,
      (number) => `[2002:${hex(number)}::]`,
    );
    await fc.assert(
      fc.asyncProperty(address, forms, (number, form) => refuse(`https://${form(number)}/`)),
      { numRuns: 1_000 },
    );
    assert.deepEqual(internet.dialled, []);
  });

  test('is refused if the name moves there: the next request resolves again, and this one never does', async () => {
    const moving = await startTestInternet((_request, response) => response.end('reached'), { resolve: rebind() });
    assert.equal((await moving.outbound.request(secretRequest)).body.toString(), 'reached');
    await expectFailure(moving.outbound.request(secretRequest), 'refused_address');
    assert.deepEqual(
      moving.dialled.map(({ addresses }) => addresses),
      [[SOMEWHERE_PUBLIC]],
    );
    await moving.close();
  });

  test('is refused if the name moves there between two hops', async () => {
    const moving = await startTestInternet(
      (_request, response) => response.writeHead(302, { location: '/again' }).end(),
      { resolve: rebind() },
    );
    const redirects = { most: 1, hosts: () => true };
    await expectFailure(moving.outbound.request({ ...secretRequest, redirects }), 'refused_address');
    assert.equal(moving.dialled.length, 1);
    await moving.close();
  });

  test('is refused over plain http, with credentials, over other protocols, and if malformed', async () => {
    for (const url of [
      'http://provider.test/',
      `https://${CANARY}@provider.test/`,
      `https://provider.test:${CANARY}@169.254.169.254/`,
      'https://provider.test./',
      'file:///etc/passwd',
      `gopher://127.0.0.1:6379/_${CANARY}`,
      'ftp://provider.test/',
      `data:text/plain,${CANARY}`,
      'unix:/var/run/docker.sock',
      `//provider.test/${CANARY}`,
      'https://',
      `https://[fe80::1%25eth0]/${CANARY}`,
      `https://provider.test:99999/${CANARY}`,
      '',
    ])
      await expectFailure(internet.outbound.request({ ...secretRequest, url }), 'bad_url');
    assert.deepEqual([internet.dialled, resolved], [[], []]);
  });
});

test('is allowed outside production, as is plain http', async () => {
  const server = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const outbound = createOutbound({ allowPrivate: true });
  for (const host of ['127.0.0.1', 'localhost', '2130706433']) {
    const url = `http://${host}:${(server.address() as AddressInfo).port}/`;
    assert.equal((await outbound.request({ ...secretRequest, url })).body.toString(), 'reached');
  }
  server.close();
});
