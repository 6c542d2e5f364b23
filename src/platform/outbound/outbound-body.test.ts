import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  expectFailure,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../../../test/harness/test-internet.ts';

const KIB = Buffer.alloc(1_024, 'x');
const SMALL = { ...secretRequest, mostBytes: 10_000 };

/** Sends raw bytes, which the server would otherwise format itself. */
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

describe('the body of a response', () => {
  let internet: TestInternet;

  const serve = async (answer: RequestListener) => {
    internet = await startTestInternet(answer);
    return internet.outbound;
  };

  /** No connection is left open after a test. The deadline is a minute, so something else has closed it. */
  afterEach(async () => {
    await internet.allClosed();
    await internet.close();
  });

  describe('that is limited in size', () => {
    test('may be exactly that large', async () => {
      const outbound = await serve((_request, response) => response.end(KIB));
      assert.equal((await outbound.request({ ...secretRequest, mostBytes: KIB.length })).body.length, KIB.length);
    });

    test('may not be a byte larger', async () => {
      const outbound = await serve((_request, response) => {
        response.write(KIB);
        response.end();
      });
      await expectFailure(outbound.request({ ...secretRequest, mostBytes: KIB.length - 1 }), 'too_large');
    });

    test('is rejected by the length it announces, before any of it arrives', async () => {
      const outbound = await serve((_request, response) => {
        response.writeHead(200, { 'content-length': SMALL.mostBytes + 1 }).flushHeaders();
      });
      await expectFailure(outbound.request(SMALL), 'too_large');
    });

    test('is cut off if it never ends', async () => {
      const outbound = await serve(sendForever);
      await expectFailure(outbound.request(SMALL), 'too_large');
    });

    test('is cut off as a stream, too, after the limit', async () => {
      const outbound = await serve(sendForever);
      const { body } = await outbound.open({ ...SMALL, mostBytes: 100_000 });
      let bytes = 0;
      const read = async () => {
        for await (const chunk of body) bytes += chunk.length;
      };
      await expectFailure(read(), 'too_large');
      assert.ok(bytes > 0 && bytes <= 100_000, `${bytes}`);
    });

    test('counts as sent: what is compressed stays compressed', async () => {
      const bomb = gzipSync(Buffer.alloc(5_000_000));
      assert.ok(bomb.length < SMALL.mostBytes);
      const outbound = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      });
      const { headers, body } = await outbound.request(SMALL);
      assert.equal(headers['content-encoding'], 'gzip');
      assert.deepEqual(body, bomb);
    });

    test('is not the only limit: headers have one, too', async () => {
      const outbound = await serve((_request, response) => {
        response.writeHead(200, { 'x-large': 'x'.repeat(100_000) }).end();
      });
      await expectFailure(outbound.request(SMALL), 'network');
    });
  });

  describe('that is not what it says', () => {
    test('fails if it is shorter than announced', async () => {
      const outbound = await serve((_request, response) => {
        sendRaw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort').end();
      });
      await expectFailure(outbound.request(SMALL), 'network');
    });

    test('ends at the announced length if it is longer', async () => {
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
      test(`fails: ${what}`, async () => {
        const outbound = await serve((_request, response) => {
          sendRaw(response, raw).end();
        });
        await expectFailure(outbound.request(SMALL), 'network');
      });
  });

  describe('that comes as a stream', () => {
    test('closes the connection when its reader drops it', async () => {
      const outbound = await serve(sendForever);
      const { body } = await outbound.open(secretRequest);
      body.destroy();
      await internet.allClosed();
    });

    test('closes the connection at its end, and leaves no timer', async () => {
      const outbound = await serve((_request, response) => response.end(KIB));
      // Counts timers, including those of other tests in this process.
      const countTimers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
      const before = countTimers();
      const { body } = await outbound.open(secretRequest);
      assert.ok(countTimers() > before, 'There is a deadline meanwhile.');
      assert.deepEqual(Buffer.concat(await body.toArray()), KIB);
      await internet.allClosed();
      await nextTurn();
      assert.ok(countTimers() <= before);
    });

    test('does not outlive the deadline when nobody reads it', async ({ mock }) => {
      const outbound = await serve(sendForever);
      mock.timers.enable({ apis: ['setTimeout'] });
      const { body } = await outbound.open({ ...secretRequest, timeoutMs: 500 });
      mock.timers.tick(500);
      mock.timers.reset();
      await internet.allClosed();
      await expectFailure(body.toArray(), 'timeout');
    });
  });
});
