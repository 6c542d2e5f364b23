import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp, type Person, SECRETS } from '../harness/app.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { readResidentMegabytes } from '../harness/resident-memory.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const CONNECTIONS = 100;
/** In one packet, without reading any of the responses. */
const REQUESTS = 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Each file is more than a megabyte: one copy per response would be ten times as much. */
const MOST_MEGABYTES = 50;
/** How many requests of one caller are in progress at once. */
const AT_ONCE = 8;
/** How long a large response that nobody reads keeps the next one from being built, less what timers are off by. */
const PATIENCE_MS = 1_900;

const headersOf = ({ headers }: Person) =>
  [
    ['Host', 'localhost:3000'],
    ['Authorization', headers.authorization],
  ] as const;

/** When each large response was built. */
const built: number[] = [];
/** More than the system takes off our hands for a connection. */
const large: Routes = (server) => {
  server.get('/api/large', { config: { access: 'member' }, schema: { hide: true } }, async () => {
    built.push(performance.now());
    return 'x'.repeat(16 * 1024 * 1024);
  });
};
const house = useStage(() => createTestApp('sqlite', { routes: [large], env: { PATCHBAY_RATE_LIMIT: '6000' } }));
const port = prepare(async () => ({ number: await listenOnLoopback(house.server) }));

test('a file has one spelling, and nothing else is held in memory', async () => {
  const ask = async (path: string): Promise<number | undefined> => {
    const asked = request({ port: port.number, host: '127.0.0.1', path }).end();
    const [answer] = await once(asked, 'response');
    return answer.resume().statusCode;
  };
  assert.equal(await ask('/docs/static/swagger-ui.css'), 200);
  assert.equal(await ask('/docs/static/%73wagger-ui.css'), 404);
  assert.equal(await ask('/docs/static/../../api/calls/1'), 404);
  assert.equal(await ask('/docs/'), 200);
});

describe('a caller who reads nothing', () => {
  test('has only a few large responses built, and their team is answered meanwhile', async (context) => {
    const { member, admin } = await house.createTeam('unread');
    for (let count = 0; count < 40; count++) {
      const client = connect(port.number, '127.0.0.1').on('error', () => undefined);
      context.after(() => client.destroy());
      client.pause();
      client.write(printRequest('/api/large', { headers: headersOf(member) }));
    }
    await waitUntil('as many as may be in progress are built', () => built.length >= AT_ONCE);
    const [answer] = await exchangeBytes(port.number, printRequest('/api/team', { headers: headersOf(admin) }));
    assert.equal(answer?.status, 200);
    await waitUntil('the others do not wait forever', () => built.length > AT_ONCE);
    const [first = 0, next = 0] = [built[0], built[AT_ONCE]];
    assert.ok(next - first >= PATIENCE_MS, `the next one is built after ${(next - first).toFixed(0)} ms`);
  });
});

for (const [what, times] of [
  ['as many as a connection may have', 4],
  ['more than a connection may have', 19],
] as const)
  test(`responses nobody reads hold little memory: ${what}`, async (context) => {
    const stage = openServeStage(context);
    const serving = await stage.serve({ ...SECRETS, PATCHBAY_DATA: stage.newDirectory() });
    await serving.ready();
    // The pages are built once, no matter who requests them.
    await (await serving.fetch('/docs/static/swagger-ui-bundle.js')).arrayBuffer();
    const before = readResidentMegabytes(serving.pid);
    const sent = Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(serving.port, '127.0.0.1');
      context.after(() => socket.destroy());
      socket.on('error', () => undefined).pause();
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(REQUESTS.repeat(times), resolve));
    });
    await Promise.all(sent);
    // Each is answered in a later turn of the event loop, so the server has read all of the above by then.
    for (let turn = 0; turn < 20; turn++) assert.equal((await serving.fetch('/healthz')).status, 200);
    const held = readResidentMegabytes(serving.pid) - before;
    context.diagnostic(`${held.toFixed(0)} MB for ${CONNECTIONS * times} answers`);
    assert.ok(held < MOST_MEGABYTES, `${held} MB`);
  });
