import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { endSlowReaders } from './end-slow-readers.ts';
import { capConnections, limitConnections } from './limit-connections.ts';
import { createPipeliningGuard } from './pipelining-guard.ts';

const ASK = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const HANG = 'GET /hang HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LARGE = 'GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n';
const UNFINISHED = 'POST /hang HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc';
const READING_MS = 50;

/** Opens a server that has room for two connections. */
const openServer = async (context: TestContext) => {
  const guard = createPipeliningGuard();
  let begun = 0;
  let full = 0;
  const server = createServer((request, response) => {
    guard.admit(request, response);
    begun++;
    if (request.url === '/large') response.end(Buffer.alloc(16 * 1024 * 1024));
    else if (request.url !== '/hang') response.end('here');
  }).listen(0, '127.0.0.1');
  const { behindSince, stop } = endSlowReaders(server, guard, { lookMs: 10 });
  const { lastOn } = guard;
  const limits = { most: 2, addressOf: () => null, lastOn, behindSince, readingMs: READING_MS, onFull: () => full++ };
  limitConnections(server, limits);
  const accepted = new Set<Socket>();
  server.on('connection', (socket) => accepted.add(socket));
  context.after(() => {
    stop();
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return {
    countFull: () => full,
    countBehind: () => {
      const before = performance.now() - READING_MS;
      return [...accepted].filter((socket) => (behindSince(socket) ?? Number.POSITIVE_INFINITY) < before).length;
    },
    async open(): Promise<Socket> {
      const arrived = once(server, 'connection');
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
      await arrived;
      return socket.resume();
    },
    async send(socket: Socket, text: string): Promise<void> {
      const before = begun;
      socket.write(text);
      await waitUntil('the request has arrived', () => begun > before);
    },
  };
};

const isEnded = (socket: Socket) => waitUntil('it makes way', () => socket.closed);

test('the connection that has been idle for the longest time makes way for a new one', async (context) => {
  const { open, send, countFull } = await openServer(context);
  const [first, second] = [await open(), await open()];
  await send(first, ASK);
  assert.equal(countFull(), 0);
  const third = await open();
  await isEnded(second);
  await open();
  await isEnded(first);
  assert.deepEqual([third.closed, countFull()], [false, 2]);
});

test('a connection whose request is incomplete makes way before one that has just connected', async (context) => {
  const { open, send } = await openServer(context);
  const [unfinished, busy] = [await open(), await open()];
  await send(busy, HANG);
  await send(unfinished, UNFINISHED);
  const fresh = await open();
  await isEnded(unfinished);
  const last = await open();
  await isEnded(fresh);
  assert.deepEqual([busy.closed, last.closed], [false, false]);
});

test('a new connection is refused if all others wait for their answers', async (context) => {
  const { open, send } = await openServer(context);
  const busy = [await open(), await open()];
  for (const socket of busy) await send(socket, HANG);
  await isEnded(await open());
  assert.deepEqual(
    busy.map(({ closed }) => closed),
    [false, false],
  );
});

test('a connection whose response is not read makes way, and one that waits for its answer does not', async (context) => {
  const { open, send, countBehind } = await openServer(context);
  const [unread, busy] = [(await open()).pause(), await open()];
  await send(busy, HANG);
  await send(unread, LARGE);
  await waitUntil('it is behind', () => countBehind() === 1);
  const fresh = await open();
  await isEnded(unread.resume());
  assert.deepEqual([busy.closed, fresh.closed], [false, false]);
});

test('there are at most half as many connections as files', () => {
  assert.equal(capConnections(10_000, 1_024), 512);
  assert.equal(capConnections(10_000, 1_048_576), 10_000);
  assert.equal(capConnections(10_000, Number.POSITIVE_INFINITY), 10_000);
  assert.ok(capConnections(1_000_000) > 100);
});
