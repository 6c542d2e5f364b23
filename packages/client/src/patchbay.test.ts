import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import {
  sendFromProvider,
  sendJson,
  sendProblem,
  startCounterpart,
} from '../../../test/harness/patchbay-counterpart.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { Patchbay, PatchbayError } from './index.ts';

const TOKEN = 'pb_token_of_the_tests';

describe('the client', () => {
  // Each test has its own server, because a request that a test has canceled may still arrive.
  let there: Awaited<ReturnType<typeof startCounterpart>>;
  beforeEach(async () => {
    there = await startCounterpart();
  });
  afterEach(() => there.stop());

  const open = (options: { timeoutMs?: number; fetchTimeoutMs?: number } = {}) =>
    new Patchbay({ url: `${there.url}/`, token: TOKEN, ...options });
  const heard = () => there.heard.map(({ method, url }) => `${method} ${url}`);

  test('calls as the operator, for a team and a user', async () => {
    there.answer((_request, response) => sendJson(response, { key: 'a/b' }));
    const team = open().team('a/b');
    await team.put({ name: 'Acme' });
    await team.createSession({ user: { key: 'u1' } });
    await team.as('u1').integrations.disconnect('github', { connection: 'work' });
    await team.integrations.putKey('brevo', { fields: { api_key: 'k' } });
    await team.delete();
    assert.deepEqual(heard(), [
      'PUT /api/operator/teams/a%2Fb',
      'POST /api/operator/teams/a%2Fb/sessions',
      'POST /api/integrations/github/disconnect',
      'PUT /api/integrations/brevo/key',
      'DELETE /api/operator/teams/a%2Fb',
    ]);
    assert.deepEqual(
      there.heard.map(({ headers }) => [headers.authorization, headers['patchbay-team'], headers['patchbay-user']]),
      [
        [`Bearer ${TOKEN}`, undefined, undefined],
        [`Bearer ${TOKEN}`, undefined, undefined],
        [`Bearer ${TOKEN}`, 'a/b', 'u1'],
        [`Bearer ${TOKEN}`, 'a/b', undefined],
        [`Bearer ${TOKEN}`, undefined, undefined],
      ],
    );
    assert.deepEqual(
      there.heard.map(({ body }) => body),
      ['{"name":"Acme"}', '{"user":{"key":"u1"}}', '{"connection":"work"}', '{"fields":{"api_key":"k"}}', ''],
    );
  });

  test('sends any request of the API, as whom it is asked for', async () => {
    there.answer((_request, response) => sendJson(response, {}));
    const patchbay = open();
    const team = patchbay.team('acme').as('u1');
    await patchbay.request('GET /api/operator/teams', { query: { limit: 5 } });
    await team.request('GET /api/calls/{id}', { params: { id: 'a/b' } });
    await team.request('POST /api/integrations/{provider}/complete', {
      ...{ params: { provider: 'github' }, body: { attempt: 'x' } },
    });
    await team.endSessions('u1');
    const sent = there.heard.map(({ method, url, headers, body }) =>
      [method, url, headers['patchbay-team'], headers['patchbay-user'], body].join(' '),
    );
    assert.deepEqual(sent, [
      'GET /api/operator/teams?limit=5   ',
      'GET /api/calls/a%2Fb acme u1 ',
      'POST /api/integrations/github/complete acme u1 {"attempt":"x"}',
      'DELETE /api/operator/teams/acme/sessions?user=u1   ',
    ]);
    await assert.rejects(team.request('GET /api/calls/{id}', { params: { id: '..' } }), {
      code: 'client.path_refused',
    });
    assert.equal(there.heard.length, 4);
  });

  test('throws what Patchbay refuses, with its code and request id', async () => {
    there.answer((_request, response) => sendProblem(response, 409, 'integrations.not_connected'));
    await assert.rejects(open().integrations.token('github'), {
      name: 'PatchbayError',
      ...{ code: 'integrations.not_connected', status: 409, requestId: 'req_1' },
      message: "It's integrations.not_connected.",
    });
  });

  test('says what is wrong with a request, and when to try again', async () => {
    const errors = [
      { path: 'body.timeZone', message: 'is not a known time zone' },
      { path: 'body.name', message: 'must be a string' },
    ];
    const problem = {
      status: 400,
      code: 'http.invalid_input',
      detail: 'The request is invalid. See "errors".',
      errors,
    };
    there.answer((_request, response) =>
      response.writeHead(400, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem)),
    );
    await assert.rejects(open().team('a').put({ name: 'A' }), {
      message: 'The request is invalid. body.timeZone is not a known time zone.',
      retryAfterSeconds: null,
    });
    there.answer((_request, response) => sendProblem(response, 429, 'http.rate_limited', { 'retry-after': '40' }));
    await assert.rejects(open().integrations.token('github'), { status: 429, retryAfterSeconds: 40 });
  });

  test('throws what something else responds', async () => {
    there.answer((_request, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<p>Bad gateway'),
    );
    await assert.rejects(open().integrations.status(), { code: 'client.unexpected_response', status: 502 });
    there.answer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'));
    await assert.rejects(open().integrations.status(), { code: 'client.unexpected_response', status: 200 });
    await assert.rejects(open().fetch('github', '/user'), { code: 'client.unexpected_response' });
  });

  test('says where nothing responded, and what to check', async () => {
    await there.stop();
    const refused = { code: 'client.unreachable', status: 0 };
    const message = new RegExp(`can't be reached at ${there.url} \\(ECONNREFUSED\\)\\. Check that it's running`);
    await assert.rejects(open().integrations.status(), { ...refused, message });
    await assert.rejects(open().fetch('github', '/user'), { ...refused, message });
    there = await startCounterpart();
  });

  test('leaves it to the platform to say what cannot be sent', async () => {
    await assert.rejects(open().fetch('github', '/user', { method: 'GET', body: 'x' }), TypeError);
    assert.equal(there.heard.length, 0);
  });

  test('never follows a redirect', async () => {
    there.answer((_request, response) => response.writeHead(307, { location: '/elsewhere' }).end());
    await assert.rejects(open().integrations.status(), { code: 'client.redirected' });
    await assert.rejects(open().fetch('github', '/user'), { code: 'client.redirected' });
    assert.equal(there.heard.length, 2);
    there.answer((_request, response) => sendFromProvider(response, {}, 302, { location: 'https://elsewhere.test' }));
    const response = await open().fetch('github', '/archive');
    assert.deepEqual([response.status, response.headers.get('location')], [302, 'https://elsewhere.test']);
    assert.equal(there.heard.length, 1);
  });

  for (const status of [429, 503])
    test(`asks again after ${status}, if the request may be repeated`, async () => {
      const busyOnce = () =>
        there.answer((_request, response) =>
          there.heard.length === 1
            ? sendProblem(response, status, 'http.busy', { 'retry-after': '0' })
            : sendJson(response, {}),
        );
      busyOnce();
      await open().integrations.status();
      assert.equal(there.heard.length, 2);
      busyOnce();
      await open().team('a').put({ name: 'A' });
      assert.deepEqual([there.heard[1]?.body, there.heard.length], ['{"name":"A"}', 2]);
      busyOnce();
      await assert.rejects(open().integrations.token('github'), { status, code: 'http.busy' });
      assert.equal(there.heard.length, 1);
    });

  test('stops asking after the third time, and at once if the wait is long', async () => {
    there.answer((_request, response) => sendProblem(response, 503, 'http.busy', { 'retry-after': '0' }));
    await assert.rejects(open().fetch('github', '/user'), { code: 'http.busy' });
    assert.equal(there.heard.length, 3);
    there.answer((_request, response) => sendProblem(response, 429, 'http.busy', { 'retry-after': '3600' }));
    await assert.rejects(open().integrations.status(), { code: 'http.busy' });
    assert.equal(there.heard.length, 1);
  });

  test("returns the provider's own 429 and 503", async () => {
    for (const status of [429, 503]) {
      there.answer((_request, response) => sendFromProvider(response, {}, status, { 'retry-after': '0' }));
      assert.equal((await open().fetch('github', '/user')).status, status);
      assert.equal(there.heard.length, 1);
    }
  });

  test('gives up after a while', async () => {
    there.answer(() => undefined);
    await assert.rejects(open({ timeoutMs: 50 }).integrations.status(), { name: 'TimeoutError' });
    await assert.rejects(open({ fetchTimeoutMs: 50 }).fetch('github', '/user'), { name: 'TimeoutError' });
  });

  test('stops when told to, before a request and while it waits for the next', async (context) => {
    const stop = new AbortController();
    there.answer((_request, response) => sendProblem(response, 503, 'http.busy', { 'retry-after': '20' }));
    await assert.rejects(open().integrations.status({ signal: AbortSignal.abort() }), { name: 'AbortError' });
    assert.equal(there.heard.length, 0);
    const timers = context.mock.method(globalThis, 'setTimeout').mock;
    const stopped = assert.rejects(open().integrations.status({ signal: stop.signal }), { name: 'AbortError' });
    await waitUntil('it waits', () => timers.calls.some(({ arguments: [, ms] }) => ms === 20_000));
    stop.abort();
    await stopped;
    assert.equal(there.heard.length, 1);
  });

  test('lists calls page by page, and only as far as they are read', async () => {
    there.answer(({ url }, response) => {
      const page = Number(new URL(url, there.url).searchParams.get('cursor') ?? '1');
      const calls = [{ id: `${page}a` }, { id: `${page}b` }];
      sendJson(response, { calls, nextCursor: page < 3 ? String(page + 1) : null });
    });
    const ids: string[] = [];
    for await (const { id } of open().calls.list({ outcome: 'missed', limit: 2 })) ids.push(id);
    assert.deepEqual(ids, ['1a', '1b', '2a', '2b', '3a', '3b']);
    const path = 'GET /api/calls?outcome=missed&limit=2';
    assert.deepEqual(heard(), [path, `${path}&cursor=2`, `${path}&cursor=3`]);
    there.heard.length = 0;
    for await (const { id } of open().calls.list()) if (id === '1b') break;
    assert.equal(there.heard.length, 1);
  });

  test('goes on after a page without a call: a search looks through many calls for one', async () => {
    there.answer(({ url }, response) => {
      const isFirst = !url?.includes('cursor=');
      sendJson(response, isFirst ? { calls: [], nextCursor: '2' } : { calls: [{ id: 'found' }], nextCursor: null });
    });
    const ids: string[] = [];
    for await (const { id } of open().calls.list({ search: 'rare' })) ids.push(id);
    assert.deepEqual(ids, ['found']);
  });

  test('lists what happened up to now, also past a page that has nothing for a restricted token', async () => {
    const pages: Record<string, { events: object[]; nextCursor: string }> = {
      '': { events: [{ id: 'evt_1' }], nextCursor: 'a' },
      a: { events: [], nextCursor: 'b' },
      b: { events: [{ id: 'evt_2' }], nextCursor: 'c' },
      c: { events: [], nextCursor: 'c' },
    };
    there.answer(({ url }, response) => {
      const after = new URL(url ?? '', there.url).searchParams.get('after') ?? '';
      sendJson(response, pages[after] ?? {});
    });
    const ids = [];
    for await (const { id } of open().events.list({ type: 'provider.event:github/issues' })) ids.push(id);
    assert.deepEqual(ids, ['evt_1', 'evt_2']);
    assert.equal(heard()[0], 'GET /api/events?type=provider.event%3Agithub%2Fissues&limit=100');
    assert.equal(heard().length, 4);
  });

  test('downloads the payload of an event only if the event is without it', async () => {
    there.answer((_request, response) => sendJson(response, { large: true }));
    const { events } = open();
    assert.equal(await events.payload({ id: 'evt_1', data: { payload: null } }), null);
    assert.deepEqual(heard(), []);
    assert.deepEqual(await events.payload({ id: 'evt_2', data: { payloadUrl: 'x' } }), { large: true });
    assert.deepEqual(heard(), ['GET /api/events/evt_2/payload']);
  });

  test("lists the team's tokens page by page, and revokes one", async () => {
    there.answer(({ method, url }, response) => {
      if (method === 'DELETE') return response.writeHead(204).end();
      const page = url?.includes('cursor=') ? { tokens: [{ id: 'b' }], nextCursor: null } : null;
      return sendJson(response, page ?? { tokens: [{ id: 'a' }], nextCursor: '2' });
    });
    const { tokens } = open().team('acme').as('u1');
    const ids: string[] = [];
    for await (const { id } of tokens.list()) ids.push(id);
    assert.deepEqual(ids, ['a', 'b']);
    await tokens.revoke('a');
    assert.deepEqual(heard(), ['GET /api/tokens', 'GET /api/tokens?cursor=2', 'DELETE /api/tokens/a']);
    for (const { headers } of there.heard)
      assert.deepEqual([headers['patchbay-team'], headers['patchbay-user']], ['acme', 'u1']);
    await assert.rejects(
      async () => {
        for await (const { id } of tokens.list({ signal: AbortSignal.abort() })) assert.fail(id);
      },
      { name: 'AbortError' },
    );
  });

  test('passes a request on as it is, under its own name', async () => {
    there.answer((_request, response) => sendFromProvider(response, { made: true }, 201));
    const headers = { authorization: 'token of the vendor', 'Patchbay-Team': 'another', 'X-Own': 'yes' };
    const init = { method: 'post', body: 'hi', headers, connection: 'work', host: 'uploads' };
    const response = await open().team('acme').fetch('github', 'items/a%2Fb?x=1#part', init);
    assert.deepEqual([response.status, await response.json()], [201, { made: true }]);
    const [request] = there.heard;
    assert.deepEqual(heard(), ['POST /api/integrations/github/proxy/items/a%2Fb?x=1&connection=work']);
    assert.equal(request?.body, 'hi');
    assert.equal(request.headers.authorization, `Bearer ${TOKEN}`);
    assert.equal(request.headers['patchbay-team'], 'acme');
    assert.equal(request.headers['patchbay-host'], 'uploads');
    assert.equal(request.headers['x-own'], 'yes');
  });

  test('sends a streamed body once', async () => {
    there.answer((_request, response) => sendProblem(response, 503, 'http.busy', { 'retry-after': '0' }));
    const body = new Blob(['a stream']).stream();
    await assert.rejects(open().fetch('github', '/file', { method: 'PUT', body }), { code: 'http.busy' });
    assert.deepEqual(
      there.heard.map((request) => request.body),
      ['a stream'],
    );
  });

  const ways = [
    '../../status',
    '/a/../../../status',
    '/%2e%2E/status',
    '/.%2e',
    '/a\\..\\b',
    '/a/.\t./b',
    '/.',
    '/a/..?x',
    'https://api.github.com/user',
  ];
  for (const path of ways)
    test(`sends nothing if a path leads elsewhere: ${JSON.stringify(path)}`, async () => {
      there.answer((_request, response) => sendJson(response, {}));
      await assert.rejects(open().fetch('github', path), { code: 'client.path_refused' });
      assert.equal(there.heard.length, 0);
    });

  test('sends nothing for a team, user or provider that is no part of a path or header', async () => {
    there.answer((_request, response) => sendJson(response, {}));
    await assert.rejects(open().team('..').put({ name: 'A' }), { code: 'client.path_refused' });
    await assert.rejects(open().integrations.token('..'), { code: 'client.path_refused' });
    for (const key of ['', 'a b', 'ä', 'a\r\nb', 'x'.repeat(201)]) {
      assert.throws(() => open().team(key), { code: 'client.key_invalid' });
      assert.throws(() => open().team('a').as(key), { code: 'client.key_invalid' });
    }
    assert.equal(there.heard.length, 0);
  });

  test('takes an address and a token, and never shows the token', async () => {
    for (const url of ['', 'patchbay', 'ftp://a.test', 'https://user:pass@a.test', 'https://a.test?token=1'])
      assert.throws(() => new Patchbay({ url, token: TOKEN }), { code: 'client.url_invalid' });
    for (const token of ['', 'a b', undefined])
      assert.throws(() => new Patchbay({ url: there.url, token }), { code: 'client.token_missing' });
    assert.throws(() => new Patchbay({ url: undefined, token: TOKEN }), {
      code: 'client.url_invalid',
      message: "`url` is missing. If it comes from an environment variable, that isn't set.",
    });
    const patchbay = open();
    assert.ok(!inspect([patchbay, patchbay.team('a')], { depth: 9, showHidden: true }).includes(TOKEN));
    there.answer((_request, response) => sendProblem(response, 401, 'http.unauthorized'));
    const error = await patchbay.integrations.status().catch((reason: unknown) => reason);
    assert.ok(error instanceof PatchbayError);
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(TOKEN));
  });
});
