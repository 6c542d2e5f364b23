import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { before, describe, type TestContext, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { listenOnLoopback } from '../harness/raw-http.ts';
import { withOpenFiles } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { addPhoneAccount, deliver, isKept, logLines } from '../harness/telephony-serve.ts';
import { SERVICE_URL, VOICE } from '../harness/telephony-stage.ts';
import { signChapter, tellStory } from '../harness/telephony-stories.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const SKIP = process.platform !== 'linux' && 'Only Linux has more than one loopback address.';
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** A connection from this address, with what it sends. */
const open = async (context: TestContext, port: number, localAddress: string, text: string): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  context.after(() => socket.destroy());
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket.resume();
};

const HOLDING = {
  'say nothing': '',
  'send half of a head': 'GET / HTTP/1.1\r\nHost: localhost\r\nX: ',
  'stay after one request': HEALTH,
  'never finish a body': `POST ${VOICE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n\r\n{`,
};

const OPEN_FILES = 600;
const ADDRESSES = 12;
const EACH = 60;

test('more connections than there are files keep nobody from calling', { skip: SKIP }, async (context) => {
  const stage = openServeStage(context);
  const env = { ...SECRETS, PATCHBAY_DATA: stage.newDirectory(), PATCHBAY_URL: SERVICE_URL };
  const serving = await stage.serve(env, withOpenFiles(OPEN_FILES));
  await serving.ready();
  const account = await addPhoneAccount(serving);
  const call = async (): Promise<boolean> => {
    const [rings] = tellStory('missed').chapters;
    return isKept(await deliver(serving, signChapter(account, rings ?? assert.fail())));
  };
  for (const [what, text] of Object.entries(HOLDING)) {
    const held: Socket[] = [];
    for (let address = 1; address <= ADDRESSES; address++) {
      const some = Array.from({ length: EACH }, () => open(context, serving.port, `127.0.1.${address}`, text));
      held.push(...(await Promise.all(some)));
      assert.ok(await call(), `A call is answered after ${held.length} that ${what}.`);
    }
    const files = readdirSync(`/proc/${serving.pid}/fd`).length;
    assert.ok(files < OPEN_FILES * 0.75, `${files} files are open.`);
    assert.equal((await serving.fetch('/readyz')).status, 200);
    for (const socket of held) socket.destroy();
  }
  assert.deepEqual([logLines(serving, '"level":"error"'), logLines(serving, 'unavailable')], [[], []]);
});

function* repeatForever() {
  for (;;) yield Buffer.alloc(65_536, 'x');
}

describe('connections of one address', { skip: SKIP }, () => {
  const MOST = 40;
  const PER_ADDRESS = 10;
  const PROXY = '127.0.2.1';
  const held = Promise.withResolvers<void>();
  let [begun, endless] = [0, 0];
  const slow: Routes = (server) => {
    server.get('/api/slow', { config: { access: 'anyone' }, schema: { hide: true } }, async () => {
      begun++;
      await held.promise;
      return { ok: true };
    });
    server.get('/api/endless', { config: { access: 'anyone' }, schema: { hide: true } }, async (_request, reply) => {
      endless++;
      return reply.type('text/plain').send(Readable.from(repeatForever()));
    });
  };
  const house = useStage(() =>
    createTestApp('sqlite', {
      env: { PATCHBAY_MAX_CONNECTIONS: String(MOST), PATCHBAY_TRUSTED_PROXIES: PROXY },
      routes: [slow],
    }),
  );
  let port: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
  });

  const openMany = (context: TestContext, count: number, address: string, text = ''): Promise<Socket[]> =>
    Promise.all(Array.from({ length: count }, () => open(context, port, address, text)));
  const countOpen = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length;
  const leave = (sockets: readonly Socket[]): Promise<unknown> =>
    Promise.all(sockets.map((socket) => (socket.closed ? null : once(socket.destroy(), 'close'))));

  test('take the place of each other, and of nobody else', async (context) => {
    const other = await openMany(context, 1, '127.0.1.1', HEALTH);
    const greedy = await openMany(context, 3 * PER_ADDRESS, '127.0.1.2', HEALTH);
    await waitUntil('only as many are left as may be', () => countOpen(greedy) <= PER_ADDRESS);
    assert.equal(countOpen(other), 1, 'An older connection from another address stays.');
    await leave([...other, ...greedy]);
  });

  test('are not limited if it is a trusted proxy', async (context) => {
    const proxied = await openMany(context, 2 * PER_ADDRESS, PROXY, HEALTH);
    const another = await openMany(context, 1, '127.0.1.3', HEALTH);
    const all = [...proxied, ...another];
    const heard = Promise.all(all.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')])));
    for (const socket of all) socket.write(HEALTH);
    await heard;
    assert.equal(countOpen(all), 2 * PER_ADDRESS + 1);
    await leave(all);
  });

  test('are never ended while they wait for their answer', async (context) => {
    const asked = 'GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const waiting = await openMany(context, PER_ADDRESS, '127.0.1.4', asked);
    await waitUntil('all of them have asked', () => begun === PER_ADDRESS);
    let answered = 0;
    for (const socket of waiting) socket.on('data', (text) => (answered += text.includes('200 OK') ? 1 : 0));
    const refused = await openMany(context, PER_ADDRESS, '127.0.1.4', HEALTH);
    await waitUntil('the others are refused', () => countOpen(refused) === 0);
    held.resolve();
    await waitUntil('all of them are answered', () => answered === PER_ADDRESS);
    await leave(waiting);
  });

  test('make way if they do not read their answer', async (context) => {
    const asked = 'GET /api/endless HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const unread = await openMany(context, PER_ADDRESS, '127.0.1.5', asked);
    for (const socket of unread) socket.pause();
    await waitUntil('all of them have asked', () => endless === PER_ADDRESS);
    let answered = 0;
    await waitUntil('another one is answered', async () => {
      const [another] = await openMany(context, 1, '127.0.1.5', HEALTH);
      another?.on('data', () => answered++);
      return answered > 0;
    });
    await leave(unread);
  });
});
