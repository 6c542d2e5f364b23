import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { after, afterEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  expectFailure,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../../../test/harness/test-internet.ts';
import type { OutboundSettings } from './outbound.ts';

const KIB = Buffer.alloc(1_024, 'x');
const SOON = { ...secretRequest, timeoutMs: 200 };
/** Enough for a first answer on a busy machine, so that it is the rest that takes too long. */
const LATER = { ...secretRequest, timeoutMs: 500 };
const SMALL = { ...secretRequest, mostBytes: 10_000 };

/** Bytes of our own choosing instead of what the server would make of them. */
const sendRaw = (response: ServerResponse, text: string): Socket => {
  const socket = response.socket as Socket;
  socket.write(text);
  return socket;
};

const sendForever: RequestListener = (_request, response) => {
  const more = () => {
    while (response.write(KIB));
  };
  response.on('drain', more);
  more();
};

describe('the limits of an outgoing request', { timeout: 10_000 }, () => {
  let internet: TestInternet;

  const serve = async (answer: RequestListener, settings?: Partial<OutboundSettings>) => {
    internet = await startTestInternet(answer, settings);
    return internet.outbound;
  };

  /** Whatever happened, no connection is left: with a deadline of a minute it is not the deadline that closed it. */
  afterEach(async () => {
    await internet.allClosed();
    await internet.close();
  });

  describe('in time', () => {
    const silent = createServer();
    after(() => silent.close());

    test('hold while the name is being resolved', async () => {
      const outbound = await serve(() => undefined, { resolve: () => new Promise(() => undefined) });
      await expectFailure(outbound.request(SOON), 'timeout');
    });

    test('hold while nobody takes the connection', async () => {
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

    test('hold while TLS is being agreed', async () => {
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const accepted = once(silent, 'connection') as Promise<[Socket]>;
      const dial = () => connect((silent.address() as AddressInfo).port, '127.0.0.1');
      const outbound = await serve(() => undefined, { dial });
      await expectFailure(outbound.request(SOON), 'timeout');
      const [socket] = await accepted;
      await once(socket.resume(), 'close');
    });

    test('hold while the head of the answer is awaited', async () => {
      const outbound = await serve(() => undefined);
      await expectFailure(outbound.request(SOON), 'timeout');
    });

    test('hold while the body trickles', async () => {
      const outbound = await serve((_request, response) => {
        const timer = setInterval(() => response.write('.'), 10);
        response.on('close', () => clearInterval(timer));
      });
      await expectFailure(outbound.request(SOON), 'timeout');
    });

    test('hold for all redirects together', async () => {
      const outbound = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
      const redirects = { most: Number.POSITIVE_INFINITY, hosts: () => true };
      await expectFailure(outbound.request({ ...LATER, redirects }), 'timeout');
      assert.ok(internet.asked.length > 1);
    });

    test('hold for a body that nobody reads', async () => {
      const outbound = await serve(sendForever);
      const { body } = await outbound.open(LATER);
      await internet.allClosed();
      await expectFailure(body.toArray(), 'timeout');
    });
  });

  describe('in size', () => {
    test('let through a body of exactly that size', async () => {
      const outbound = await serve((_request, response) => response.end(KIB));
      assert.equal((await outbound.request({ ...secretRequest, mostBytes: KIB.length })).body.length, KIB.length);
    });

    test('refuse one byte more', async () => {
      const outbound = await serve((_request, response) => {
        response.write(KIB);
        response.end();
      });
      await expectFailure(outbound.request({ ...secretRequest, mostBytes: KIB.length - 1 }), 'too_large');
    });

    test('refuse a length that is announced, before a byte of the body', async () => {
      const outbound = await serve((_request, response) => {
        response.writeHead(200, { 'content-length': SMALL.mostBytes + 1 }).flushHeaders();
      });
      await expectFailure(outbound.request(SMALL), 'too_large');
    });

    test('end a body without end', async () => {
      const outbound = await serve(sendForever);
      await expectFailure(outbound.request(SMALL), 'too_large');
    });

    test('end a stream without end, after what was allowed', async () => {
      const outbound = await serve(sendForever);
      const { body } = await outbound.open({ ...SMALL, mostBytes: 100_000 });
      let bytes = 0;
      const read = async () => {
        for await (const chunk of body) bytes += chunk.length;
      };
      await expectFailure(read(), 'too_large');
      assert.ok(bytes > 0 && bytes <= 100_000, `${bytes}`);
    });

    test('count what was sent: compressed bytes stay compressed', async () => {
      const bomb = gzipSync(Buffer.alloc(5_000_000));
      assert.ok(bomb.length < SMALL.mostBytes);
      const outbound = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      });
      const { headers, body } = await outbound.request(SMALL);
      assert.equal(headers['content-encoding'], 'gzip');
      assert.deepEqual(body, bomb);
    });

    test('hold for the head of the answer', async () => {
      const outbound = await serve((_request, response) => {
        response.writeHead(200, { 'x-large': 'x'.repeat(100_000) }).end();
      });
      await expectFailure(outbound.request(SMALL), 'network');
    });
  });

  describe('against an answer that lies', () => {
    test('a body shorter than announced is no answer', async () => {
      const outbound = await serve((_request, response) => {
        sendRaw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort').end();
      });
      await expectFailure(outbound.request(SMALL), 'network');
    });

    test('a body longer than announced ends where it was to end', async () => {
      const outbound = await serve((_request, response) => {
        sendRaw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nshort, and then more').end();
      });
      assert.equal((await outbound.request(SMALL)).body.toString(), 'short');
    });

    for (const [what, raw] of [
      ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nshort'],
      ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
      ['another protocol', '220 mail.example ESMTP\r\n'],
      ['an upgrade that nobody asked for', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
      ['nothing', ''],
    ] as const)
      test(`${what} is no answer`, async () => {
        const outbound = await serve((_request, response) => {
          sendRaw(response, raw).end();
        });
        await expectFailure(outbound.request(SMALL), 'network');
      });
  });

  test('a stream that its reader drops closes the connection', async () => {
    const outbound = await serve(sendForever);
    const { body } = await outbound.open(secretRequest);
    body.destroy();
    await internet.allClosed();
  });

  test('a stream that is read to its end closes the connection and leaves no timer', async () => {
    const outbound = await serve((_request, response) => response.end(KIB));
    const { body } = await outbound.open(secretRequest);
    assert.deepEqual(Buffer.concat(await body.toArray()), KIB);
    await internet.allClosed();
    await nextTurn();
    assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
  });
});
