import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { LIMITS } from '../contract/limits.ts';
import { createHttpServer } from './http-server.ts';
import { createPipeliningGuard } from './pipelining-guard.ts';

/** Creates a server whose requests begin, and whose connections end, when a test says so. */
const createStage = () => {
  const [handled, waiting]: [IncomingMessage[], (() => void)[]] = [[], []];
  const server = createHttpServer((request) => void handled.push(request), {
    pipelining: createPipeliningGuard(),
    senderOf: () => 'sender',
    refuseEarly: () => false,
    arrive: (_request, _sender, begin) => void waiting.push(begin),
    endSoon: (end) => void waiting.push(end),
  });
  const goOn = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  return { server, handled, goOn };
};

test('a connection that was idle for too long isn’t ended if a request has come since', () => {
  const { server, goOn } = createStage();
  const openIdle = () => Object.assign(new Socket(), { timeout: Number(LIMITS.keepAliveMs) });
  const [idle, busy] = [openIdle(), openIdle()];
  for (const socket of [idle, busy]) server.emit('timeout', socket);
  // Node does the same when the first byte of a request arrives.
  busy.timeout = 0;
  goOn();
  assert.deepEqual([idle.destroyed, busy.destroyed], [true, false]);
});

test('a request whose connection was ended before it could begin never does', () => {
  const { server, handled, goOn } = createStage();
  const requests = [new Socket(), new Socket()].map((socket) => new IncomingMessage(socket));
  for (const request of requests) server.emit('request', request, new ServerResponse(request));
  requests[0]?.socket.destroy();
  goOn();
  assert.deepEqual(
    handled.map((request) => requests.indexOf(request)),
    [1],
  );
});
