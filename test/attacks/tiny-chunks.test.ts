import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { FORM_TYPE, JSON_TYPE } from '../harness/telephony-senders.ts';
import { VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const CHUNKS = 250_000;
/** More than Node reads before the first thousand chunks are counted, and much less than is sent. */
const MOST_READ_BYTES = 300_000;
/** The one too many included. */
const MOST_PIECES = 1_001;

describe('a body in chunks of a single byte', () => {
  const house = useStage(() => createTestApp('sqlite'));
  let port: number;
  let pieces: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
    house.server.server.on('request', (request) => {
      const { push } = request;
      request.push = (piece, encoding) => {
        pieces++;
        return push.call(request, piece, encoding);
      };
    });
  });

  const head = (target: string, type: string): Buffer =>
    printRequest(target, {
      method: 'POST',
      headers: [
        ['Host', 'localhost:3000'],
        ['Content-Type', type],
        ['Transfer-Encoding', 'chunked'],
      ],
    });

  for (const [what, target, type, isRefused] of [
    ['a webhook', VOICE, FORM_TYPE, false],
    ['JSON for a sign-in link', '/sign-in/none', JSON_TYPE, false],
    ['a method that is not allowed', '/sign-in', FORM_TYPE, true],
    ['what needs a credential and has been refused', '/api/tokens', JSON_TYPE, true],
    ['an unknown path', '/nowhere', JSON_TYPE, true],
    ['a type that nobody reads', '/sign-in/none', 'text/plain', false],
  ] as const)
    test(`ends the connection before much of it is read: ${what}`, async (context) => {
      let readBytes = 0;
      pieces = 0;
      house.server.server.once('connection', (socket) => {
        socket.once('close', () => {
          readBytes = socket.bytesRead;
        });
      });
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      context.after(() => client.destroy());
      client.resume().write(head(target, type));
      // Its body is discarded then, not read.
      if (isRefused) await once(client, 'data');
      client.write('1\r\nx\r\n'.repeat(CHUNKS));
      await new Promise((resolve) => client.once('close', resolve));
      assert.ok(pieces <= MOST_PIECES, `${pieces} pieces were passed on`);
      await exchangeBytes(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      context.diagnostic(`${readBytes} bytes, ${pieces} pieces`);
      assert.ok(readBytes > 0 && readBytes < MOST_READ_BYTES, `${readBytes} bytes were read`);
    });

  test('is read if there are not too many, and so is a long one in chunks of the usual size', async () => {
    for (const chunks of ['1\r\nx\r\n'.repeat(900), `200\r\n${'x'.repeat(0x200)}\r\n`.repeat(400)]) {
      const body = Buffer.concat([head(VOICE, FORM_TYPE), Buffer.from(`${chunks}0\r\n\r\n`)]);
      assert.equal((await exchangeBytes(port, body))[0]?.status, 403);
    }
  });
});
