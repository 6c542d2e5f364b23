import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { type Answer, expectHouseHeaders, expectProblem } from '../harness/problem.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

const HOST = 'Host: localhost\r\n';
const KIBIBYTE = 1024;

/** Another request, hidden in what only one of two parsers takes for a body. */
const SMUGGLED = 'GET /api/team HTTP/1.1\r\nHost: localhost\r\n\r\n';

const request = (target: string, ...headers: string[]): string =>
  `GET ${target} HTTP/1.1\r\n${HOST}${headers.map((header) => `${header}\r\n`).join('')}\r\n`;

const post = (...headers: string[]): string =>
  `POST /api/tokens HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;

type Refused = { sent: string | Buffer; status: number | number[] };

const NOT_HTTP: Record<string, Refused> = {
  words: { sent: 'hello there\r\n\r\n', status: 400 },
  'random bytes': {
    sent: Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 167 + 13) % 256)),
    status: 400,
  },
  'a TLS handshake': { sent: Buffer.from('16030100f8010000f40303', 'hex'), status: 400 },
  'the preface of HTTP/2': { sent: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 400 },
  'a version that is none': { sent: `GET /healthz HTTP/9.9\r\n${HOST}\r\n`, status: 400 },
  'a method that is none': { sent: `FETCH /healthz HTTP/1.1\r\n${HOST}\r\n`, status: 400 },
  'a header without a colon': { sent: request('/healthz', 'NoColon'), status: 400 },
  'a header without a name': { sent: request('/healthz', ': value'), status: 400 },
  'a space before the colon': { sent: post('Content-Length : 2').concat('{}'), status: 400 },
  'a NUL in a header': { sent: request('/healthz', 'X-Test: a\0b'), status: 400 },
  'a header that goes on in the next line': { sent: request('/healthz', 'X-Test: a', ' b'), status: 400 },
  'a bare line feed': { sent: `GET /healthz HTTP/1.1\nHost: localhost\n\n`, status: 400 },
};

const LENGTHS: Record<string, Refused> = {
  'both a length and chunks': {
    sent: `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${SMUGGLED}`,
    status: 400,
  },
  'chunks that are not the last encoding': {
    sent: `${post('Transfer-Encoding: chunked, identity')}0\r\n\r\n${SMUGGLED}`,
    status: 400,
  },
  'chunks in disguise': {
    sent: `${post('Content-Length: 5', 'Transfer-Encoding:\tchunked')}0\r\n\r\n${SMUGGLED}`,
    status: 400,
  },
  'two lengths': { sent: `${post('Content-Length: 2', 'Content-Length: 55')}{}${SMUGGLED}`, status: 400 },
  'the same length twice': { sent: `${post('Content-Length: 2', 'Content-Length: 2')}{}${SMUGGLED}`, status: 400 },
  'a list of lengths': { sent: `${post('Content-Length: 2, 2')}{}${SMUGGLED}`, status: 400 },
  'a length in letters': { sent: `${post('Content-Length: two')}{}${SMUGGLED}`, status: 400 },
  'a length below nothing': { sent: `${post('Content-Length: -2')}{}${SMUGGLED}`, status: 400 },
  'a length with a sign': { sent: `${post('Content-Length: +2')}{}${SMUGGLED}`, status: 400 },
  'a length in hexadecimal': { sent: `${post('Content-Length: 0x2')}{}${SMUGGLED}`, status: 400 },
  'a length beyond all numbers': { sent: `${post(`Content-Length: ${'9'.repeat(30)}`)}{}`, status: 400 },
  'an empty length': { sent: `${post('Content-Length:')}{}${SMUGGLED}`, status: 400 },
};

/** Chunks are read after the credential, so these are sent with one. */
const CHUNKS: Record<string, string> = {
  'a chunk whose size is none': `zz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  'a chunk larger than its size': `1\r\n{}}}}\r\n0\r\n\r\n${SMUGGLED}`,
  'a chunk size below nothing': `-2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  'a chunk size beyond all numbers': `${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`,
  'a chunk with 20 KiB of extensions': `2;a=${'b'.repeat(20 * KIBIBYTE)}\r\n{}\r\n0\r\n\r\n`,
};

const ADDRESSES: Record<string, Refused> = {
  'an address beyond 8 KiB': { sent: request(`/healthz?${'a'.repeat(8 * KIBIBYTE)}`), status: 414 },
  'an unknown address beyond 8 KiB': { sent: request(`/${'a'.repeat(8 * KIBIBYTE)}`), status: 414 },
  'an id beyond 8 KiB': { sent: request(`/api/tokens/${'a'.repeat(8 * KIBIBYTE)}`), status: 414 },
  'an address beyond the header': { sent: request(`/${'a'.repeat(20 * KIBIBYTE)}`), status: [414, 431] },
  'a NUL in the path': { sent: request('/api/members/%00'), status: 400 },
  'a NUL in the query': { sent: request('/api/audit?cursor=%00'), status: 400 },
  'a NUL in an unknown path': { sent: request('/no%00where'), status: 400 },
  'a percent sign alone': { sent: request('/api/members/%'), status: 400 },
  'a percent sign and no number': { sent: request('/api/members/%zz'), status: 400 },
  'bytes that are not UTF-8': { sent: request('/api/members/%ff'), status: 400 },
  'UTF-8 that is too long for its character': { sent: request('/api/members/%c0%80'), status: 400 },
  'bytes that should have been encoded': {
    sent: Buffer.from(request('/api/members/\u00e9'), 'latin1'),
    status: [400, 404, 405],
  },
  'a path that climbs': { sent: request('/../../../../etc/passwd'), status: 404 },
  'a path that climbs in disguise': {
    sent: request('/docs/static/%2e%2e%2f%2e%2e%2fpackage.json'),
    status: [400, 404],
  },
  'no path': { sent: request('?a=b'), status: [400, 404] },
  'a star': { sent: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, status: [400, 404, 405] },
};

const HEADERS: Record<string, Refused> = {
  'a header of 20 KiB': { sent: request('/healthz', `X-Test: ${'a'.repeat(20 * KIBIBYTE)}`), status: 431 },
  'a token of a megabyte': { sent: request('/api/team', `Authorization: Bearer ${'a'.repeat(1e6)}`), status: 431 },
  'ten thousand headers': { sent: request('/healthz', ...Array<string>(10_000).fill('a: b')), status: 431 },
  'two credentials': {
    sent: request('/api/team', 'Authorization: Bearer one', 'Authorization: Bearer two'),
    status: 400,
  },
  'no host': { sent: 'GET /healthz HTTP/1.1\r\n\r\n', status: 400 },
  'two hosts': { sent: request('/healthz', 'Host: elsewhere.example'), status: 400 },
  'an expectation that cannot be met': { sent: request('/healthz', 'Expect: a-miracle'), status: 417 },
  'a cookie that cannot be decoded': {
    sent: request('/api/team', 'Cookie: patchbay_session=%zz; =; ;;; a', 'Cookie: patchbay_session=%00'),
    status: 401,
  },
};

describe('a request', () => {
  const stage = useStage(() => createTestApp('sqlite'));
  let port: number;
  let token: string;

  before(async () => {
    port = await listenOnLoopback(stage.server);
    ({ token } = (await stage.createTeam('requests')).admin);
  });

  const exchange = async (sent: string | Buffer): Promise<Answer> => {
    const [answer, ...more] = await exchangeBytes(port, sent);
    assert.ok(answer, 'There was no answer.');
    assert.deepEqual(more, [], 'What hid in the request was answered.');
    return answer;
  };

  const expectAlive = async () => assert.equal((await exchange(request('/healthz'))).status, 200);

  for (const [kind, cases] of Object.entries({ NOT_HTTP, LENGTHS, ADDRESSES, HEADERS })) {
    describe(`that is malformed gets a problem response: ${kind.toLowerCase().replace('_', ' ')}`, () => {
      for (const [what, { sent, status }] of Object.entries(cases)) {
        test(what, async () => {
          expectProblem(await exchange(sent), status, what);
          await expectAlive();
        });
      }
    });
  }

  describe('that is malformed gets a problem response: chunks', () => {
    for (const [what, chunks] of Object.entries(CHUNKS)) {
      test(what, async () => {
        const head = post('Transfer-Encoding: chunked', `Authorization: Bearer ${token}`);
        expectProblem(await exchange(`${head}${chunks}`), [400, 413], what);
        await expectAlive();
      });
    }

    test('a transfer encoding that resembles chunked', async () => {
      const head = post('Transfer-Encoding: xchunked', `Authorization: Bearer ${token}`);
      expectProblem(await exchange(`${head}0\r\n\r\n${SMUGGLED}`), 400, 'xchunked');
    });
  });

  describe('with a method its address does not support', () => {
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PROPFIND']) {
      test(`is told which methods there are: ${method}`, async () => {
        const answer = await exchange(printRequest('/api/tokens', { method, headers: [['Host', 'localhost']] }));
        assert.equal(answer.status, 405);
        assert.equal(answer.headers['allow'], 'GET, POST');
        expectHouseHeaders(answer, method);
      });
    }
  });

  describe('that is unusual but valid is answered', () => {
    const authorization = () => `Authorization: Bearer ${token}`;
    const cases: Record<string, () => string> = {
      'HTTP/1.0, without a host': () => `GET /api/team HTTP/1.0\r\n${authorization()}\r\n\r\n`,
      'a whole address in place of a path': () => request('http://localhost/api/team', authorization()),
      'the scheme of the credential in small letters': () => request('/api/team', `authorization: bearer ${token}`),
      'the scheme of the credential in capitals': () => request('/api/team', `AUTHORIZATION: BEARER   ${token}  `),
      'the scheme that some libraries use': () => request('/api/team', `Authorization: token ${token}`),
      'the scheme that some libraries use, in capitals': () => request('/api/team', `Authorization: TOKEN ${token}`),
      'a header of 8 KiB': () => request('/api/team', authorization(), `X-Test: ${'a'.repeat(8 * KIBIBYTE)}`),
      'five hundred headers': () => request('/api/team', authorization(), ...Array<string>(500).fill('a: b')),
      'an offer to upgrade': () => request('/api/team', authorization(), 'Connection: upgrade', 'Upgrade: websocket'),
      'an expectation that can be met': () => request('/api/team', authorization(), 'Expect: 100-continue'),
      'empty lines before it': () => `\r\n\r\n${request('/api/team', authorization())}`,
      'an address of just 8 KiB': () => request(`/api/team?${'a'.repeat(8 * KIBIBYTE - 10)}`, authorization()),
    };
    for (const [what, make] of Object.entries(cases)) {
      test(what, async () => {
        const answer = await exchange(make());
        assert.equal(answer.status, 200, `${answer.status} ${answer.body}`);
        assert.equal(answer.headers['cache-control'], 'no-store');
        expectHouseHeaders(answer, what);
      });
    }

    test('keeps the id the server gave it, whatever it calls itself', async () => {
      const answer = await exchange(request('/healthz', 'X-Request-Id: mine', 'Request-Id: mine'));
      expectHouseHeaders(answer, 'with an id');
    });
  });
});
