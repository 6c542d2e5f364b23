import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { before, describe, type TestContext, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { listenOnLoopback } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const CONNECTIONS = 400;
/** How many are ended in one turn of the event loop. */
const MOST = 16;
const HEAD = 'POST /healthz HTTP/1.1\r\nHost: localhost\r\n';

const UNFINISHED = {
  'half of a head': HEAD,
  'no body after announcing one': `${HEAD}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
};

describe('connections whose time is up at the same moment are ended a few at a time', () => {
  const house = useStage(() => createTestApp('sqlite'));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
  });

  /** How often something happened in each turn of the event loop. */
  const countPerTurn = (context: TestContext) => {
    const counts = [0];
    let turn = setImmediate(function next() {
      if (counts.at(-1) !== 0) counts.push(0);
      turn = setImmediate(next);
    });
    context.after(() => clearImmediate(turn));
    return { counts, add: () => void counts.push((counts.pop() ?? 0) + 1) };
  };

  for (const [what, text] of Object.entries(UNFINISHED))
    test(`after ${what}`, async (context) => {
      const responses = countPerTurn(context);
      const hangUps = countPerTurn(context);
      const { server } = house.server;
      const accepted: Socket[] = [];
      const accept = (socket: Socket): void => {
        accepted.push(socket);
        const { end, destroy } = socket;
        socket.end = ((text: string) => {
          responses.add();
          return end.call(socket, text);
        }) as Socket['end'];
        socket.destroy = (error) => {
          if (!socket.destroyed) hangUps.add();
          return destroy.call(socket, error);
        };
      };
      server.on('connection', accept);
      context.after(() => server.off('connection', accept));

      const clients = await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          // It never hangs up, even after the server has.
          const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
          context.after(() => socket.destroy());
          const client = { socket, heard: '' };
          socket.setEncoding('utf8').on('data', (data: string) => (client.heard += data));
          await once(socket, 'connect');
          return client;
        }),
      );
      for (const { socket } of clients) socket.write(text);
      const hasCome = ({ bytesRead }: Socket): boolean => bytesRead === text.length;
      await waitUntil('all have come', () => accepted.length === CONNECTIONS && accepted.every(hasCome));
      const { headersTimeout, requestTimeout } = server;
      Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });
      context.after(() => Object.assign(server, { headersTimeout, requestTimeout }));
      await waitUntil(
        'all are ended',
        () => hangUps.counts.reduce((sum, count) => sum + count) === CONNECTIONS,
        30_000,
      );
      for (const { heard } of clients) {
        const problem = heard.slice(heard.lastIndexOf('HTTP/1.1 408'));
        const { code, requestId } = JSON.parse(problem.slice(problem.indexOf('{')));
        assert.equal(code, 'http.request_timeout');
        assert.ok(problem.includes(`x-request-id: ${requestId}\r\n`));
      }
      assert.ok(
        Math.max(...responses.counts) <= MOST,
        `${Math.max(...responses.counts)} got their response in one turn`,
      );
      assert.ok(Math.max(...hangUps.counts) <= MOST, `${Math.max(...hangUps.counts)} were ended in one turn`);
    });

  test('after a long time without a request, except if there is one by then', async () => {
    const ended: number[] = [];
    const { server } = house.server;
    const count = 3 * MOST;
    for (let index = 0; index < count; index++) {
      const socket = { timeout: index === 0 ? 0 : 1, destroy: () => ended.push(index) };
      server.emit('timeout', socket as unknown as Socket);
    }
    assert.equal(ended.length, 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(ended.length, MOST - 1);
    await waitUntil('all are ended', () => ended.length === count - 1);
  });
});
