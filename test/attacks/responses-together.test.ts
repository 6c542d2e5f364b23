import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp } from '../harness/app.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

const HOST = [['Host', 'localhost']] as const;
const ask = (target: string): Buffer => printRequest(target, { headers: HOST });
const HEALTH = ask('/healthz');

const hidden = { config: { access: 'anyone' }, schema: { hide: true } } as const;

/** What a bug in a handler may do. */
const faultyRoutes: Routes = (server) => {
  server.get('/api/test/odd-header', hidden, async (_request, reply) => reply.header('x-odd', '\u4e2d').send({}));
  server.get('/api/test/odd-body', hidden, async (_request, reply) => reply.type('text/plain').send({ a: 1 }));
  server.get('/api/test/forgotten', hidden, async (_request, reply) => {
    await null;
    await null;
    reply.send({ a: 1 });
  });
};

describe('requests that arrive together', () => {
  const house = useStage(() => createTestApp('sqlite', { routes: [faultyRoutes] }));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
  });

  const statusesOf = async (requests: readonly Buffer[]): Promise<(number | undefined)[]> =>
    (await Promise.all(requests.map((request) => exchangeBytes(port, request)))).map(([answer]) => answer?.status);

  test('are all answered, even if one of the responses cannot be written', async () => {
    for (const target of ['/api/test/odd-header', '/api/test/odd-body']) {
      const before = Array(9).fill(HEALTH);
      const expected = [...Array(9).fill(200), 500, ...Array(10).fill(200)];
      assert.deepEqual(await statusesOf([...before, ask(target), HEALTH, ...before]), expected, target);
    }
    const [refused] = await exchangeBytes(port, ask('/api/test/odd-body'));
    assert.equal(JSON.parse(refused?.body ?? '').code, 'http.internal');
  });

  test('are answered once, even if a handler does not return its reply', async () => {
    assert.deepEqual(await statusesOf(Array(20).fill(ask('/api/test/forgotten'))), Array(20).fill(200));
  });

  test('are answered in order, even if the same packet continues with something that is not a request', async () => {
    const long = `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    for (const [rest, status] of [
      ['no request\r\n\r\n', 400],
      [long, 431],
    ] as const) {
      const answers = await exchangeBytes(port, Buffer.concat([HEALTH, Buffer.from(rest)]));
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [200, status],
      );
    }
  });

  test('are all answered if the server is told to close in between', async () => {
    const closing = await createTestApp('sqlite');
    const there = await listenOnLoopback(closing.server);
    let [seen, closed]: [number, Promise<unknown> | null] = [0, null];
    closing.server.server.prependListener('request', () => {
      if (++seen === 10) closed = closing.server.close();
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchangeBytes(there, HEALTH)));
    assert.deepEqual(
      answers.map(([answer]) => answer?.status),
      Array(10).fill(200),
    );
    await closed;
    await closing.close();
  });
});
