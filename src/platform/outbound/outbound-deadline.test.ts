import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  expectFailure,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../../../test/harness/test-internet.ts';
import type { OutboundSettings } from './outbound.ts';

const SOON = { ...secretRequest, timeoutMs: 200 };

/** Stops time, which then passes only by `tick`. So a response is in time even on a busy machine. */
const stopTime = ({ mock }: TestContext) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  const { setTimeout: begin } = globalThis;
  // Node's mock timers ignore `refresh`.
  mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
    let dueAt = Date.now() + ms;
    const check = (): unknown => (Date.now() < dueAt ? begin(check, dueAt - Date.now()) : work());
    const refresh = (): void => {
      if (Date.now() >= dueAt) begin(check, ms);
      dueAt = Date.now() + ms;
    };
    return Object.assign(begin(check, ms), { refresh });
  });
  return mock;
};

describe('the deadline of an outgoing request', () => {
  let internet: TestInternet;

  const serve = async (answer: RequestListener, settings?: Partial<OutboundSettings>) => {
    internet = await startTestInternet(answer, settings);
    return internet.outbound;
  };

  afterEach(async () => {
    await internet.allClosed();
    await internet.close();
  });

  test('holds while the name is being resolved', async () => {
    const outbound = await serve(() => undefined, { resolve: () => new Promise(() => undefined) });
    await expectFailure(outbound.request(SOON), 'timeout');
  });

  test('holds while nobody accepts the connection', async () => {
    const sockets: Socket[] = [];
    const dial = () => {
      const socket = new Socket();
      sockets.push(socket);
      return socket;
    };
    const outbound = await serve(() => undefined, { dial });
    await expectFailure(outbound.request(SOON), 'timeout');
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [true],
    );
  });

  test('holds during the TLS handshake', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const accepted = once(silent, 'connection') as Promise<[Socket]>;
    const dial = () => connect((silent.address() as AddressInfo).port, '127.0.0.1');
    const outbound = await serve(() => undefined, { dial });
    await expectFailure(outbound.request(SOON), 'timeout');
    const [socket] = await accepted;
    await once(socket.resume(), 'close');
    silent.close();
  });

  test('holds while waiting for the response', async () => {
    const outbound = await serve(() => undefined);
    await expectFailure(outbound.request(SOON), 'timeout');
  });

  test('holds while the body trickles', async () => {
    const outbound = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    await expectFailure(outbound.request(SOON), 'timeout');
  });

  const IDLE = { ...secretRequest, timeoutMs: 3_600_000, mostBytes: 10_000_000, idleMs: 300 };

  test('comes earlier if the other side says nothing', async () => {
    const outbound = await serve(() => undefined);
    await expectFailure(outbound.open(IDLE), 'timeout');
  });

  test('comes earlier if the other side stops in the middle', async () => {
    const outbound = await serve((_request, response) => void response.write('the beginning'));
    await expectFailure(outbound.request(IDLE), 'timeout');
  });

  test('comes no earlier because our reader takes its time', async (context) => {
    const outbound = await serve((_request, response) => response.end(Buffer.alloc(5_000_000)));
    const { timers } = stopTime(context);
    const { body } = await outbound.open(IDLE);
    while (body.readableLength < body.readableHighWaterMark) await nextTurn();
    timers.tick(3 * IDLE.idleMs);
    assert.equal((await buffer(body)).length, 5_000_000);
  });

  test('comes no earlier for a body that is slow and steady', async (context) => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<ServerResponse>();
    const outbound = await serve((_request, response) => onAsked(response));
    const { timers } = stopTime(context);
    const opening = outbound.open(IDLE);
    const response = await asked;
    response.write('.');
    const { body } = await opening;
    for (let count = 1; count <= 5; count++) {
      while (body.readableLength < count && !body.destroyed) await nextTurn();
      timers.tick(IDLE.idleMs - 100);
      response.write('.');
    }
    response.end();
    assert.equal(await text(body), '......');
  });

  test('comes earlier for a body that arrives below its pace', async () => {
    const outbound = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const pace = { graceMs: 200, bytesPerSecond: 1_000_000 };
    await expectFailure(outbound.request({ ...secretRequest, timeoutMs: 3_600_000, pace }), 'timeout');
  });

  test('comes earlier for a response that never begins, if there is a pace', async () => {
    const outbound = await serve(() => undefined);
    const pace = { graceMs: 200, bytesPerSecond: 1 };
    await expectFailure(outbound.request({ ...secretRequest, timeoutMs: 3_600_000, pace }), 'timeout');
  });

  test('leaves a body alone that keeps its pace', async (context) => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<ServerResponse>();
    const outbound = await serve((_request, response) => onAsked(response));
    const { timers } = stopTime(context);
    const pace = { graceMs: 200, bytesPerSecond: 100 };
    const opening = outbound.open({ ...secretRequest, timeoutMs: 8_000, pace });
    const response = await asked;
    response.write('x'.repeat(1_000));
    const { body } = await opening;
    while (body.readableLength < 1_000) await nextTurn();
    timers.tick(400);
    response.end('.');
    assert.equal((await buffer(body)).length, 1_001);
  });

  test('holds for all redirects together', async (context) => {
    const outbound = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
    const { timers } = stopTime(context);
    const redirects = { most: Number.POSITIVE_INFINITY, hosts: () => true };
    const failed = expectFailure(outbound.request({ ...SOON, redirects }), 'timeout');
    for (const times of [2, 3]) {
      while (internet.asked.length < times) await nextTurn();
      timers.tick(SOON.timeoutMs / 2);
    }
    await failed;
  });
});
