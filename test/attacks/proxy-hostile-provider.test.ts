import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;

const readToEnd = (response: IncomingMessage): Promise<'complete' | 'incomplete'> =>
  new Promise((resolve) => {
    response.on('error', () => undefined).resume();
    response.on('close', () => resolve(response.complete ? 'complete' : 'incomplete'));
  });

describe('a hostile provider behind the proxy', () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(() => stage.api.reset());

  /** Takes over the connection, so that it can say anything. */
  const speak = (say: (socket: Socket) => void): void =>
    stage.api.answer((request, response) => {
      request.resume();
      const { socket } = response;
      if (socket) say(socket);
    });

  for (const [what, said] of Object.entries({
    'no HTTP': 'SSH-2.0-OpenSSH_9.9\r\n',
    'an impossible status': 'HTTP/1.1 9999 What\r\n\r\n',
    'a header without a name': 'HTTP/1.1 200 OK\r\n: empty\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'half of a short body': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this',
    'more headers than anyone needs': `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
    nothing: '',
  }))
    test(`that answers with ${what} is a 502 of ours`, async () => {
      const { headers } = await stage.connected();
      speak((socket) => socket.end(said));
      const answer = await stage.call(stage.proxied('x'), { method: 'POST', headers });
      assert.equal(answer.status, 502);
      assert.equal(problemIn(answer), 'proxy.provider_unreachable');
      assert.equal(answer.headers['patchbay-from'], 'patchbay');
    });

  test('that stops in the middle of a long body ends the response as incomplete', async () => {
    const { headers } = await stage.connected();
    let provider: Socket | undefined;
    speak((socket) => {
      provider = socket;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nonly this');
    });
    const sent = stage.begin(stage.proxied('x'), { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.once('data', () => provider?.destroy());
    assert.equal(await readToEnd(response), 'incomplete');
  });

  /** Notes each request with its connection, and hangs up on all that come on `dead`. */
  const noteConnections = (dead: () => unknown) => {
    const seen: { what: string; socket: unknown }[] = [];
    stage.api.answer(async (request, response) => {
      const { socket, method } = request;
      seen.push({ what: `${method} ${await text(request)}`, socket });
      if (socket === dead()) socket.destroy();
      else response.end('ok');
    });
    return seen;
  };

  for (const [what, { method, body }] of Object.entries({
    'a POST': { method: 'POST', body: 'pay' },
    'a PATCH': { method: 'PATCH', body: 'add' },
    'a body too long to keep': { method: 'PUT', body: 'x'.repeat(2 * MEBIBYTE) },
  }))
    test(`that hangs up on a kept connection gets ${what} once`, async () => {
      const { headers } = await stage.connected();
      let kept: unknown;
      const seen = noteConnections(() => kept);
      assert.equal((await stage.call(stage.proxied('x'), { headers })).status, 200);
      kept = seen[0]?.socket;
      const answer = await stage.call(stage.proxied('x'), { method, headers, body });
      assert.deepEqual(
        seen.map(({ what: got, socket }) => [got.length, socket === kept]),
        [
          ['GET '.length, true],
          [`${method} ${body}`.length, true],
        ],
      );
      assert.deepEqual([answer.status, problemIn(answer)], [502, 'proxy.provider_unreachable']);
    });

  test('that hangs up on a kept connection gets what may be repeated once more, on another', async () => {
    for (const [method, body] of [['GET'], ['HEAD'], ['PUT', 'set'], ['DELETE']] as const) {
      const { headers } = await stage.connected();
      let kept: unknown;
      const seen = noteConnections(() => kept);
      await stage.call(stage.proxied('x'), { headers });
      kept = seen[0]?.socket;
      assert.equal((await stage.call(stage.proxied('x'), { method, headers, body: body ?? '' })).status, 200);
      assert.deepEqual(
        seen.slice(1).map(({ what, socket }) => [what, socket === kept]),
        [
          [`${method} ${body ?? ''}`, true],
          [`${method} ${body ?? ''}`, false],
        ],
      );
    }
  });

  test('whose refusal of a token never ends is left when the request is repeated', async () => {
    const { headers, at } = await stage.connected();
    const old = `Bearer ${await at.token('acme-full')}`;
    stage.clock.advance(2 * 60_000);
    let left = false;
    stage.api.answer((request, response) => {
      if (request.headers.authorization !== old) return response.end('ok');
      return response
        .writeHead(401)
        .on('close', () => {
          left = true;
        })
        .write('never ending');
    });
    const answer = await stage.call(stage.proxied('x'), { headers });
    assert.deepEqual([answer.status, answer.body], [200, 'ok']);
    await waitUntil('it is left', () => left);
  });

  test('never sees two teams on one connection', async () => {
    const teams = [await stage.connected(), await stage.connected()];
    const seen = noteConnections(() => null);
    for (let round = 0; round < 2; round++)
      for (const { headers } of teams) assert.equal((await stage.call(stage.proxied('x'), { headers })).status, 200);
    const sockets = [...new Set(seen.map(({ socket }) => socket))];
    assert.deepEqual(
      seen.map(({ socket }) => sockets.indexOf(socket)),
      [0, 1, 0, 1],
    );
  });

  test('that sends one interim response after the other is cut off', async () => {
    const { headers } = await stage.connected();
    speak((socket) => socket.on('error', () => undefined).write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
    const answer = await stage.call(stage.proxied('x'), { method: 'POST', headers });
    assert.deepEqual([answer.status, problemIn(answer)], [502, 'proxy.provider_unreachable']);
  });

  test('with a status of its own is passed on, and left when its caller is gone', async () => {
    const { headers } = await stage.connected();
    let left = false;
    speak((socket) => {
      socket
        .on('error', () => undefined)
        .on('close', () => {
          left = true;
        });
      socket.write('HTTP/1.1 999 Request denied\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n');
    });
    const sent = stage.begin(stage.proxied('x'), { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 999);
    response.on('error', () => undefined).destroy();
    await waitUntil('it is left', () => left);
  });

  test('that sends without end is read no faster than its caller reads', async () => {
    const { headers } = await stage.connected();
    let written = 0;
    stage.api.answer((request, response) => {
      if (!request.url?.endsWith('/endless')) return void response.end('ok');
      const piece = Buffer.alloc(MEBIBYTE);
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
        written += piece.length;
      };
      response.on('drain', more);
      more();
    });
    const sent = stage.begin(stage.proxied('endless'), { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    await waitUntil('it stands still while others are answered', async () => {
      const before = written;
      for (let count = 0; count < 10; count++) await stage.call(stage.proxied('short'), { headers });
      return before === written;
    });
    assert.ok(written < 64 * MEBIBYTE, `${written} bytes`);
    response.destroy();
  });

  test('that sends in very many tiny pieces is cut off', async () => {
    const { headers } = await stage.connected();
    speak((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const pieces = '1\r\nx\r\n'.repeat(10_000);
      const more = (): void => {
        while (!socket.destroyed && socket.write(pieces));
      };
      socket.on('drain', more);
      more();
    });
    const sent = stage.begin(stage.proxied('drip'), { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    assert.ok(response.statusCode === 502 || (await readToEnd(response)) === 'incomplete');
    response.destroy();
  });

  test('that echoes the credential does not get it into our log', async () => {
    const { headers, at } = await stage.connected();
    stage.api.answer((request, response) => {
      const { authorization = '' } = request.headers;
      response.writeHead(500, { 'x-echo': authorization }).end(authorization);
    });
    const token = await at.token('acme-full');
    assert.equal((await stage.call(stage.proxied(`echo?again=${token}`), { headers })).status, 500);
    speak((socket) => socket.end(`HTTP/1.1 ${token}\r\n\r\n`));
    assert.equal((await stage.call(stage.proxied('echo'), { headers })).status, 502);
    assert.ok(!inspect(stage.lines, { depth: 9 }).includes(token));
  });

  test('is not followed when it redirects, to wherever', async () => {
    const { headers } = await stage.connected();
    const elsewhere = createServer().listen(0, '127.0.0.1');
    let visitors = 0;
    elsewhere.on('connection', () => visitors++);
    for (const [location, passedOn] of [
      ['http://127.0.0.1:1/steal', undefined],
      ['https://evil.example/', 'https://evil.example/'],
      ['//evil.example', 'http://evil.example/'],
      ['/v2/other', `${stage.api.url}/v2/other`],
    ] as const) {
      stage.api.answer((_request, response) => response.writeHead(307, { location }).end());
      const answer = await stage.call(stage.proxied('go'), { headers });
      assert.deepEqual([answer.status, answer.headers.location], [307, passedOn]);
    }
    elsewhere.close();
    assert.equal(visitors, 0);
  });

  test('is left when its caller is gone', async () => {
    const { headers } = await stage.connected();
    let left = false;
    let begun = false;
    stage.api.answer((request, response) => {
      begun = true;
      response.on('close', () => {
        left = true;
      });
      request.resume();
    });
    const sent = stage.begin(stage.proxied('slow'), { headers }).on('error', () => undefined);
    sent.end();
    await waitUntil('it has begun', () => begun);
    sent.destroy();
    await waitUntil('it is left', () => left);
  });
});
