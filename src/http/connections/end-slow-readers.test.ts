import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { endSlowReaders, type SlowReaderSettings } from './end-slow-readers.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ANSWER = Buffer.alloc(16 * 1024 * 1024, 'x');

const openServer = async (context: TestContext, settings: SlowReaderSettings) => {
  const server = createServer((_request, response) => response.end(ANSWER)).listen(0, '127.0.0.1');
  const watch = endSlowReaders(server, { lookMs: 10, ...settings });
  context.after(() => {
    watch.stop();
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return {
    countOpen: () => promisify(server.getConnections.bind(server))(),
    /** Receives nothing of the response unless it is read from. */
    async ask(): Promise<Socket> {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      context.after(() => socket.destroy());
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(REQUEST);
      return socket;
    },
  };
};

test('a client that reads nothing is disconnected, and one that reads slowly is not', async (context) => {
  const { ask, countOpen } = await openServer(context, { stalledMs: 300 });
  await ask();
  const slow = await ask();
  let taken = 0;
  slow.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    slow.pause();
    setTimeout(() => slow.resume(), 1);
  });
  await waitUntil('the slow one has it all', () => taken > ANSWER.length);
  await waitUntil('the other is ended', async () => (await countOpen()) === 1);
  assert.equal(slow.destroyed, false);
});

test('unread responses are limited in total', async (context) => {
  const { ask, countOpen } = await openServer(context, { slowMs: 50, mostBytes: 40 * 1024 * 1024 });
  await Promise.all(Array.from({ length: 6 }, ask));
  await waitUntil('those that are one too many are ended', async () => (await countOpen()) <= 4);
  await sleep(200);
  assert.ok((await countOpen()) >= 2, 'Those within the bound stay.');
});
