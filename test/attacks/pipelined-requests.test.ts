import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp } from '../harness/app.ts';
import { exchangeBytes, listenOnLoopback } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** What one connection sends without reading anything. */
const MANY = 20_000;
const MOST_BEGUN = 4;
/** The one too many included. The 64 KiB that Node reads at a time may hold thousands more. */
const MOST_PARSED = MOST_BEGUN + 1;

const TOGETHER = {
  'plain requests': 'GET /n HTTP/1.1\r\nHost:x\r\n\r\n',
  'requests of HTTP/1.0': 'GET /n HTTP/1.0\r\nConnection:keep-alive\r\n\r\n',
  'requests whose body waits to be asked for':
    'POST /n HTTP/1.1\r\nHost:x\r\nExpect:100-continue\r\nContent-Length:0\r\n\r\n',
  'requests that expect something': 'GET /n HTTP/1.1\r\nHost:x\r\nExpect:x\r\n\r\n',
} as const;

for (const [what, request] of Object.entries(TOGETHER))
  test(`thousands of requests in one packet end the connection and are not begun: ${what}`, async (context) => {
    let [parsed, begun] = [0, 0];
    const routes: Routes = (server) => {
      server.get('/n', { config: { access: 'anyone' }, schema: { hide: true } }, async () => ({ begun: ++begun }));
    };
    const house = await createTestApp('sqlite', { routes: [routes] });
    context.after(() => house.close());
    const port = await listenOnLoopback(house.server);
    for (const arrival of ['request', 'checkContinue']) house.server.server.on(arrival, () => parsed++);
    house.server.server.on('checkExpectation', (_request, response) => {
      parsed++;
      if (response.statusCode === 417) begun++;
    });

    const greedy = connect(port, '127.0.0.1').on('error', () => undefined);
    greedy.resume().write(request.repeat(MANY));
    await new Promise((resolve) => greedy.once('close', resolve));
    context.diagnostic(`${parsed} parsed, ${begun} begun`);
    assert.ok(parsed <= MOST_PARSED, `${parsed} were parsed`);
    assert.ok(begun <= MOST_BEGUN, `${begun} were begun`);
    const [answer] = await exchangeBytes(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.equal(answer?.status, 200);
  });

test('the fifth request in a packet is refused, and the connection ends after the responses to the first four', async (context) => {
  const held: (() => void)[] = [];
  const routes: Routes = (server) => {
    server.get('/held/:name', { config: { access: 'anyone' }, schema: { hide: true } }, async ({ params }) => {
      await new Promise<void>((go) => held.push(go));
      return params;
    });
  };
  const house = await createTestApp('sqlite', { routes: [routes] });
  context.after(() => house.close());
  const port = await listenOnLoopback(house.server);
  const names = Array.from({ length: 9 }, (_, index) => String(index + 1));
  const asking = exchangeBytes(
    port,
    names.map((name) => `GET /held/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''),
  );
  await waitUntil('four have begun', () => held.length === 4);
  for (const go of held.reverse()) go();
  const answers = await asking;
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 429],
  );
  assert.deepEqual(
    answers.slice(0, 4).map(({ body }) => JSON.parse(body).name),
    ['1', '2', '3', '4'],
  );
  const refused = answers[4];
  assert.equal(JSON.parse(refused?.body ?? '').code, 'http.too_many_unanswered');
  assert.equal(refused?.headers['connection'], 'close');
  assert.ok(Number(refused?.headers['retry-after']) > 0);
  assert.equal(held.length, 4);
});
