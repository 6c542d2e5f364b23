import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { parseResponseBody, readTokens } from '../../src/integrations/requests/token-response.ts';
import { readRecord } from '../harness/connect-flow.ts';
import { expectFailure, secretRequest, startTestInternet } from '../harness/test-internet.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n';

/** Writes the same text for as long as anyone reads it. */
const writeForever = (socket: Socket, text: string): void => {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('error', () => undefined);
  socket.on('drain', more);
  more();
};

const HOSTILE: Record<string, (socket: Socket) => void> = {
  'interim responses without end': (socket) => writeForever(socket, HINT.repeat(20)),
  'the permission to continue without end': (socket) =>
    writeForever(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)),
  'a body in pieces of one byte': (socket) =>
    socket.write(`${OK}transfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`),
  'line breaks without end': (socket) => writeForever(socket, '\r\n'.repeat(5_000)),
  'the length of a chunk without end': (socket) => {
    socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
    writeForever(socket, '0'.repeat(10_000));
  },
};

/** The server's own connection, for bytes that it would never write itself. */
const serve = (attack: (socket: Socket) => void) =>
  startTestInternet((_request, response: ServerResponse) => attack(response.socket as Socket));

describe('a response', () => {
  for (const [what, attack] of Object.entries(HOSTILE))
    test(`with ${what} is cut off long before the deadline`, async () => {
      const internet = await serve(attack);
      await expectFailure(internet.outbound.request({ ...secretRequest, timeoutMs: 30_000 }), 'too_large');
      await internet.allClosed();
      assert.ok(Number(internet.dialled[0]?.socket.bytesRead) < 5_000_000);
      await internet.close();
    });

  test('may follow a few interim responses, and come in small pieces', async () => {
    const internet = await serve((socket) => {
      const body = '1\r\nx\r\n'.repeat(900);
      socket.write(`${HINT.repeat(5)}${OK}transfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
    });
    const { status, body } = await internet.outbound.request(secretRequest);
    assert.deepEqual([status, body.length], [200, 900]);
    await internet.close();
  });
});

describe('a token response', () => {
  const record = readRecord('github');

  test('with more fields than any provider sends is not a form', () => {
    const form = (fields: number) => `access_token=a${'&a=b'.repeat(fields - 1)}`;
    assert.notEqual(parseResponseBody(form(200)), null);
    assert.equal(parseResponseBody(form(201)), null);
  });

  test('is read for 500 scopes at most, however many it lists', () => {
    for (const scope of ['a,'.repeat(30_000), Array(30_000).fill('a')])
      assert.equal(readTokens(record, undefined, { access_token: 't', scope }, 0)?.scopes?.length, 500);
  });
});
