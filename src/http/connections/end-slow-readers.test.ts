import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { endSlowReaders, type SlowReaderSettings } from './end-slow-readers.ts';
import { createPipeliningGuard } from './pipelining-guard.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ANSWER = Buffer.alloc(16 * 1024 * 1024, 'x');
/** Enough for two responses, but not for three. */
const MOST_BYTES = 40 * 1024 * 1024;

const openServer = async (context: TestContext, settings: SlowReaderSettings) => {
  const guard = createPipeliningGuard();
  let begun = 0;
  const server = createServer((request, response) => {
    begun++;
    if (guard.admit(request, response)) response.end(ANSWER);
  }).listen(0, '127.0.0.1');
  let looks = 0;
  const counted = {
    countBytesInLine(socket: Socket): number {
      looks++;
      return guard.countBytesInLine(socket);
    },
  };
  const watch = endSlowReaders(server, counted, { lookMs: 10, slowMs: 50, ...settings });
  context.after(() => {
    watch.stop();
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  /** Sends requests, but doesn't read the responses. A test can read from the socket. */
  const ask = async (times = 1): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    context.after(() => socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const before = begun;
    socket.write(REQUEST.repeat(times));
    await waitUntil('the requests have arrived', () => begun >= before + times);
    return socket;
  };
  return {
    /** How often a connection was checked. */
    countLooks: () => looks,
    countOpen: () => promisify(server.getConnections.bind(server))(),
    ask,
    async askMany(count: number, times = 1): Promise<Socket[]> {
      const sockets: Socket[] = [];
      while (sockets.length < count) sockets.push(await ask(times));
      return sockets;
    },
  };
};

/** Reads slowly, with a pause after each piece, and counts the bytes. */
const readSlowly = (socket: Socket, pauseMs: number): { taken: number } => {
  const progress = { taken: 0 };
  socket.on('data', (chunk: Buffer) => {
    progress.taken += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  });
  return progress;
};

test('a client that reads nothing is disconnected, and one that reads slowly is not', async (context) => {
  // Longer than a busy machine keeps this process waiting. The slow reader reads nothing in that time either.
  const { ask, countOpen } = await openServer(context, { stalledMs: 2_000 });
  await ask();
  const slow = await ask();
  const progress = readSlowly(slow, 1);
  await waitUntil('the slow one has it all', () => progress.taken > ANSWER.length);
  await waitUntil('the other is ended', async () => (await countOpen()) === 1);
  assert.equal(slow.destroyed, false);
});

test('unread responses are limited in total', async (context) => {
  const { askMany, countOpen, countLooks } = await openServer(context, { mostBytes: MOST_BYTES });
  await askMany(6);
  await waitUntil('those that are one too many are ended', async () => (await countOpen()) <= 4);
  const looks = countLooks();
  await waitUntil('it has looked again and again', () => countLooks() > looks + 50);
  assert.ok((await countOpen()) >= 2, 'Those within the bound stay.');
});

test('responses that wait behind another on their connection count, too', async (context) => {
  const { askMany, countOpen } = await openServer(context, { mostBytes: MOST_BYTES });
  await askMany(2, 2);
  await waitUntil('one of the two is ended', async () => (await countOpen()) === 1);
});

test('clients that read a little now and then are limited like those that read nothing', async (context) => {
  const { askMany, countOpen } = await openServer(context, { slowMs: 1_000, mostBytes: MOST_BYTES });
  const trickling = await askMany(6);
  const progress = trickling.map((socket) => readSlowly(socket, 20));
  await waitUntil('those that are one too many are ended', async () => (await countOpen()) <= 4);
  assert.ok(Math.max(...progress.map(({ taken }) => taken)) < ANSWER.length / 2, 'It is noticed long before the end.');
});

test('of many slow clients, the one that is nearest to having it all stays', async (context) => {
  const { ask, askMany, countOpen } = await openServer(context, { slowMs: 1_000, mostBytes: MOST_BYTES });
  const steady = await ask();
  const progress = readSlowly(steady, 10);
  await askMany(5);
  await waitUntil('others are ended', async () => (await countOpen()) <= 4);
  await waitUntil('it has it all', () => progress.taken > ANSWER.length);
});
