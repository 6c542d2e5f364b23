import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { before, describe, type TestContext, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const SKIP = process.platform !== 'linux' && 'Only Linux has more than one loopback address.';
const HOST = ['Host', 'localhost'] as const;
const CONNECTIONS = 300;
const EACH = 4;
/** What may begin in a turn of the event loop. */
const TOGETHER = 64;
const PROXY = '127.0.0.9';

describe('while one address has hundreds of requests waiting', { skip: SKIP }, () => {
  let [accepted, arrived, begun] = [0, 0, 0];
  const noted: { arrived: number; begun: number }[] = [];
  const note = async () => {
    noted.push({ arrived, begun });
    return {};
  };
  const hidden = { hide: true };
  const routes: Routes = (server) => {
    server.get('/api/cheap', { config: { access: 'anyone' }, schema: hidden }, async () => ({ begun: ++begun }));
    server.post('/api/webhooks/noted', { config: { access: 'signed' }, schema: hidden }, note);
    server.get('/api/noted', { config: { access: 'anyone_or_caller' }, schema: hidden }, note);
  };
  const house = useStage(() => createTestApp('sqlite', { routes: [routes], env: { PATCHBAY_TRUSTED_PROXIES: PROXY } }));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
    house.server.server.on('connection', () => accepted++);
    house.server.server.prependListener('request', ({ url }) => (arrived += url === '/api/cheap' ? 1 : 0));
  });

  const open = async (context: TestContext, localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    context.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket.resume();
  };

  /** How many of the strangers' requests had arrived and begun when this one began, which came after them. */
  const askAfter = async (
    context: TestContext,
    { flooding, from, sent }: { flooding: readonly string[]; from: string; sent: Buffer },
  ) => {
    [accepted, arrived, begun] = [0, 0, 0];
    const strangers = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, index) => open(context, flooding[index % flooding.length] ?? '')),
    );
    const honest = await open(context, from);
    await waitUntil('all are connected', () => accepted > CONNECTIONS);
    const headers = flooding.includes(PROXY) ? [HOST, ['X-Forwarded-For', '192.0.2.1'] as const] : [HOST];
    const cheap = printRequest('/api/cheap', { headers }).toString().repeat(EACH);
    for (const socket of strangers) socket.write(cheap);
    honest.write(sent);
    await waitUntil('it begins', () => noted.length > 0);
    await waitUntil('all others are answered, too', () => begun === CONNECTIONS * EACH);
    const when = noted.pop() ?? assert.fail();
    context.diagnostic(JSON.stringify(when));
    return when;
  };

  const webhook = printRequest('/api/webhooks/noted', { method: 'POST', headers: [HOST] });
  const asked = (...headers: (readonly [string, string])[]): Buffer =>
    printRequest('/api/noted', { headers: [HOST, ...headers] });
  const bearer = ['Authorization', `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}`] as const;
  const stranger = '127.0.0.2';

  const CASES = {
    'a webhook from another address': { flooding: [stranger], from: '127.0.0.3', sent: webhook },
    'a webhook from the same address': { flooding: [stranger], from: stranger, sent: webhook },
    'a request from another address': { flooding: [stranger], from: '127.0.0.3', sent: asked() },
    'a customer at the same address': { flooding: [stranger], from: stranger, sent: asked(bearer) },
    'a request through the same proxy': {
      flooding: [PROXY],
      from: PROXY,
      sent: asked(['X-Forwarded-For', '192.0.2.2']),
    },
  };
  for (const [who, ask] of Object.entries(CASES))
    test(`${who} waits for a few of them at most`, async (context) => {
      const when = await askAfter(context, ask);
      assert.ok(when.arrived > 4 * TOGETHER, `Only ${when.arrived} had arrived.`);
      assert.ok(when.begun <= 2 * TOGETHER, `${when.begun} had begun.`);
    });
});

describe('an address that has used up what strangers may request', () => {
  const PER_MINUTE = 20;
  const ORIGIN = 'https://app.example.com';
  const env = { PATCHBAY_RATE_LIMIT: String(PER_MINUTE), PATCHBAY_RETURN_ORIGINS: ORIGIN };
  const house = useStage(() => createTestApp('sqlite', { env, clock: createTestClock() }));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
  });

  const ask = async (target: string, headers: readonly (readonly [string, string])[] = [], method = 'GET') => {
    const [answer] = await exchangeBytes(port, printRequest(target, { method, headers: [HOST, ...headers] }));
    return answer ?? assert.fail();
  };
  before(async () => {
    for (let count = 0; count < PER_MINUTE; count++) assert.equal((await ask('/healthz')).status, 200);
  });

  test('is refused before its request is handled', async () => {
    const countHandled = (): number => house.lines.filter(({ message }) => message === 'responded').length;
    const before = countHandled();
    assert.ok(before >= PER_MINUTE);
    for (const target of ['/healthz', '/api/nothing', '/api/team']) assert.equal((await ask(target)).status, 429);
    assert.equal(countHandled(), before);
  });

  test('gets a problem, or a page in a browser', async () => {
    const { status, headers, body } = await ask('/healthz');
    assert.equal(status, 429);
    const { requestId, ...problem } = JSON.parse(body);
    assert.equal(headers['x-request-id'], requestId);
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    assert.notEqual(JSON.parse((await ask('/healthz')).body).requestId, requestId);
    assert.deepEqual(
      [problem.code, headers['retry-after'], headers['cache-control']],
      ['http.rate_limited', '3', 'no-store'],
    );
    const page = await ask('/sign-in', [['Accept', 'text/html']]);
    assert.equal(page.status, 429);
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    assert.match(page.body, new RegExp(`<h1>[\\s\\S]*Too many requests[\\s\\S]*${page.headers['x-request-id']}`));
    assert.equal((await ask('/healthz', [], 'HEAD')).status, 429);
  });

  test('may still send webhooks, and what has a credential or is a preflight', async () => {
    assert.equal((await ask('/api/webhooks/telephony/voice')).status, 200);
    const bearer = ['Authorization', `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}`] as const;
    assert.equal((await ask('/api/team', [bearer])).status, 200);
    const preflight = [
      ['Origin', ORIGIN],
      ['Access-Control-Request-Method', 'GET'],
    ] as const;
    assert.equal((await ask('/api/team', preflight, 'OPTIONS')).status, 204);
    assert.equal((await ask('/api/team', [['Origin', ORIGIN]])).headers['access-control-allow-origin'], ORIGIN);
  });
});
