import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { callerOf, type Routes } from '../../src/http/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { type Answer, expectHouseHeaders, expectProblem } from '../harness/problem.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = 'application/json';

type Sent = { type?: string | null; body?: Buffer | string; headers?: [string, string][] };
type Refused = Sent & { status: number | number[] };

const bytes = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
/** A valid body of exactly this size. */
const padded = (size: number): string => `{"name":"padded"${' '.repeat(size - 17)}}`;
const named = (json: string): string => `{"name":${json}}`;

const chunked = (content: string): Sent => ({
  headers: [['Transfer-Encoding', 'chunked']],
  body: Buffer.from(`${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`),
});

/** Sent to `POST /api/tokens`, which takes a name and optionally a number of days. */
const REFUSED: Record<string, Refused> = {
  'half an object': { body: '{"name":"x"', status: 400 },
  'no JSON at all': { body: 'name=x', status: 400 },
  'single quotes': { body: "{'name':'x'}", status: 400 },
  'a comma too many': { body: '{"name":"x",}', status: 400 },
  'two values': { body: '{"name":"x"}{"name":"y"}', status: 400 },
  'a comment': { body: '{"name":"x"/**/}', status: 400 },
  'not a number': { body: '{"name":"x","expiresInDays":NaN}', status: 400 },
  'a list': { body: '[]', status: 400 },
  'a text': { body: '"name"', status: 400 },
  null: { body: 'null', status: 400 },
  'a number of infinite size': { body: '{"name":"x","expiresInDays":1e400}', status: 400 },
  'a number below every other': { body: '{"name":"x","expiresInDays":-1e400}', status: 400 },
  'a whole number that no number can hold': { body: '{"name":"x","expiresInDays":9007199254740993}', status: 400 },
  'a number with a thousand digits': { body: `{"name":"x","expiresInDays":${'9'.repeat(1_000)}}`, status: 400 },
  'an unknown property': { body: '{"name":"x","admin":true}', status: 400 },
  'a prototype': { body: '{"name":"x","__proto__":{"role":"admin"}}', status: 400 },
  'a prototype in disguise': { body: '{"name":"x","\\u005f\\u005fproto\\u005f\\u005f":{"role":"admin"}}', status: 400 },
  'a prototype by its constructor': {
    body: '{"name":"x","constructor":{"prototype":{"role":"admin"}}}',
    status: 400,
  },
  'lists in lists, 100,000 deep': { body: named(nested('[', ']', 100_000)), status: 400 },
  'objects in objects, 100,000 deep': { body: named(nested('{"a":', '}', 100_000)), status: 400 },
  'a mebibyte of open brackets': { body: '['.repeat(MEBIBYTE), status: 400 },
  'a NUL, escaped': { body: named('"a\\u0000b"'), status: 400 },
  'a NUL behind an escaped backslash': { body: named('"a\\\\\\u0000b"'), status: 400 },
  'a NUL in the name of a property': { body: '{"name":"x","a\\u0000":1}', status: 400 },
  'a NUL, bare': { body: bytes('{"name":"a', [0], 'b"}'), status: 400 },
  'a line break, bare': { body: named('"a\nb"'), status: 400 },
  'bytes that are not UTF-8': { body: bytes('{"name":"', [0xff, 0xfe], '"}'), status: 400 },
  'UTF-8 that is too long for its character': { body: bytes('{"name":"', [0xc0, 0x80], '"}'), status: 400 },
  'UTF-8 that stops in a character': { body: bytes('{"name":"', [0xe2, 0x82], '"}'), status: 400 },
  'half a surrogate pair in UTF-8': { body: bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'), status: 400 },
  'half a surrogate pair, escaped': { body: named('"a\\ud800b"'), status: 400 },
  'a surrogate pair in the wrong order': { body: named('"\\udc00\\ud800"'), status: 400 },
  'UTF-16': {
    type: 'application/json; charset=utf-16',
    body: Buffer.from(named('"x"'), 'utf16le'),
    status: [400, 415],
  },
  'a gzip': { body: gzipSync(named('"x"')), headers: [['Content-Encoding', 'gzip']], status: [400, 415] },
  'a gzip of much nothing': {
    body: gzipSync(' '.repeat(50 * MEBIBYTE)),
    headers: [['Content-Encoding', 'gzip']],
    status: [400, 413, 415],
  },
  'a body without a content type': { type: null, body: named('"x"'), status: 415 },
  'plain text': { type: 'text/plain', body: named('"x"'), status: 415 },
  'plain text in UTF-8': { type: 'text/plain;charset=UTF-8', body: named('"x"'), status: 415 },
  XML: { type: 'application/xml', body: '<name>x</name>', status: 415 },
  'a form': { type: 'application/x-www-form-urlencoded', body: 'name=x', status: 415 },
  'a form of parts': { type: 'multipart/form-data; boundary=b', body: '--b--', status: 415 },
  'something like JSON': { type: 'application/jsonx', body: named('"x"'), status: 415 },
  'a content type that is none': { type: ';;;', body: named('"x"'), status: [400, 415] },
  'an empty body where something is needed': { body: '', status: 400 },
  'white space alone': { body: ' \r\n\t', status: 400 },
  'one byte more than a mebibyte': { body: padded(MEBIBYTE + 1), status: 413 },
  'five megabytes': { body: padded(5_000_000), status: 413 },
  'five megabytes in chunks': { ...chunked(padded(5_000_000)), status: 413 },
};

const ACCEPTED: Record<string, Sent & { name: string }> = {
  'a body of exactly a mebibyte': { body: padded(MEBIBYTE), name: 'padded' },
  'a body in chunks': { ...chunked(named('"in chunks"')), name: 'in chunks' },
  'a byte order mark': { body: bytes([0xef, 0xbb, 0xbf], named('"marked"')), name: 'marked' },
  'the last of two equal keys': { body: '{"name":"first","name":"last"}', name: 'last' },
  'the escape of an escape': { body: named('"a\\\\u0000b"'), name: 'a\\u0000b' },
  'a whole surrogate pair': { body: named('"\\ud83d\\ude00"'), name: '😀' },
  'right to left, and a combining mark': { body: named('"\\u202eabc\\u0301"'), name: '\u202eabc\u0301' },
  'a content type in capitals': { type: 'Application/JSON; Charset=UTF-8', body: named('"capital"'), name: 'capital' },
  'what looks like SQL': { body: named(`"'); drop table users; --"`), name: "'); drop table users; --" },
};

const probe: Routes = (server) => {
  server.post('/api/probe', { config: { access: 'member' }, schema: { response: {} } }, (request) => ({
    body: request.body ?? null,
    role: callerOf(request).role,
  }));
};

onOneEngine('a body', (engine) => {
  const stage = useStage(() => createTestApp(engine, { routes: [probe] }));
  let port: number;
  let authorization: [string, string];

  before(async () => {
    port = await listenOnLoopback(stage.server);
    authorization = ['Authorization', `Bearer ${(await stage.createTeam('bodies')).admin.token}`];
  });

  const send = async (
    method: string,
    target: string,
    { type = JSON_TYPE, headers = [], body }: Sent,
  ): Promise<Answer> => {
    const all: [string, string][] = [['Host', 'localhost'], authorization, ...headers];
    if (type !== null) all.push(['Content-Type', type]);
    const inChunks = headers.some(([name]) => name === 'Transfer-Encoding');
    const request = inChunks
      ? Buffer.concat([printRequest(target, { method, headers: all }), Buffer.from(body ?? '')])
      : printRequest(target, { method, headers: all, ...(body === undefined ? {} : { body }) });
    const [answer, ...more] = await exchangeBytes(port, request);
    assert.ok(answer, 'There was no answer.');
    assert.equal(more.length, 0, 'One request has one answer.');
    return answer;
  };

  const countTokens = async () =>
    (await stage.app.database.get<{ n: number }>('select count(*) as n from access_tokens'))?.n;

  test('that is missing although a type is claimed without a length is not waited for', async () => {
    for (const type of [JSON_TYPE, 'application/x-www-form-urlencoded', 'text/plain'])
      for (const [method, target] of [
        ['PATCH', '/api/team'],
        ['POST', '/api/integrations/sandbox/connect'],
        ['POST', '/sign-out'],
      ] as const) {
        const { status } = await send(method, target, { type });
        assert.ok(status < 500, `${method} ${target} ${type}: ${status}`);
        if (type === JSON_TYPE && target.startsWith('/api/')) assert.equal(status, 200, `${method} ${target}`);
      }
  });

  describe('that is not acceptable', () => {
    for (const [what, { status, ...sent }] of Object.entries(REFUSED)) {
      test(`gets a problem response and changes nothing: ${what}`, async () => {
        const before = await countTokens();
        expectProblem(await send('POST', '/api/tokens', sent), status, what);
        assert.equal(await countTokens(), before);
        assert.equal((await send('GET', '/healthz', { type: null })).status, 200, 'The server still answers.');
      });
    }
  });

  describe('that is unusual but valid', () => {
    for (const [what, { name, ...sent }] of Object.entries(ACCEPTED)) {
      test(`is accepted as is: ${what}`, async () => {
        const answer = await send('POST', '/api/tokens', sent);
        assert.equal(answer.status, 201, answer.body);
        expectHouseHeaders(answer, what);
        const { id, name: told } = JSON.parse(answer.body);
        const row = await stage.app.database.get('select name from access_tokens where id = $1', [id]);
        assert.deepEqual([told, { ...row }], [name, { name }]);
      });
    }

    test('counts as an empty object if it is empty and its type is JSON', async () => {
      for (const body of ['', ' \n']) {
        const answer = await send('POST', '/api/probe', { body });
        assert.deepEqual(JSON.parse(answer.body), { body: {}, role: 'admin' });
        assert.equal((await send('PATCH', '/api/team', { body })).status, 200);
      }
    });

    test('needs no type if no body is needed', async () => {
      for (const sent of [{ type: null }, { type: null, body: '' }]) {
        const answer = await send('POST', '/api/probe', sent);
        assert.deepEqual(JSON.parse(answer.body), { body: null, role: 'admin' }, answer.body);
      }
    });

    test('may have a type and no content, as some clients send with DELETE', async () => {
      const answer = await send('DELETE', '/api/tokens/unknown', { body: '' });
      assert.equal(expectProblem(answer, 404, 'DELETE').code, 'teams.token_unknown');
    });
  });
});
