import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  CANARY,
  expectFailure,
  SOMEWHERE_PUBLIC,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../../../test/harness/test-internet.ts';
import { createOutbound } from './outbound.ts';

type Received = {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
};

const plain = { url: 'https://provider.test/', timeoutMs: 60_000, mostBytes: 1_000 } as const;

describe('an outgoing request', () => {
  let received: Received[];
  let internet: TestInternet;

  beforeEach(async () => {
    received = [];
    internet = await startTestInternet(async (request, response) => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: await text(request) });
      response.writeHead(201, { 'x-answer': 'yes' }).end('done');
    });
  });

  afterEach(() => internet.close());

  test('is sent as given, and returns the response', async () => {
    const { status, headers, body } = await internet.outbound.request(secretRequest);
    assert.equal(status, 201);
    assert.equal(headers['x-answer'], 'yes');
    assert.equal(body.toString(), 'done');
    assert.equal(received[0]?.method, 'POST');
    assert.equal(received[0]?.url, `/token?code=${CANARY}`);
    assert.equal(received[0]?.body, secretRequest.body);
    assert.equal(received[0]?.headers.authorization, secretRequest.headers.authorization);
    await internet.allClosed();
  });

  test('goes to the checked address, and names the host in TLS and in the request', async () => {
    await internet.outbound.request({ ...plain, url: 'https://provider.test:8443/' });
    assert.deepEqual(internet.dialled[0]?.addresses, [SOMEWHERE_PUBLIC]);
    assert.equal(internet.dialled[0]?.port, 8443);
    assert.deepEqual(internet.asked, [{ name: 'provider.test', host: 'provider.test:8443' }]);
  });

  test('announces the length of its body with any method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      await internet.outbound.request({ ...plain, method, body: new TextEncoder().encode('ünïcode') });
      assert.deepEqual([received.at(-1)?.method, received.at(-1)?.body], [method, 'ünïcode']);
      assert.equal(received.at(-1)?.headers['content-length'], '9');
    }
  });

  test('has a user agent, and does not ask for compression', async () => {
    await internet.outbound.request(plain);
    assert.equal(received[0]?.headers['user-agent'], 'patchbay');
    assert.equal(received[0]?.headers['accept-encoding'], 'identity');
  });

  test('is rejected if a header contains a line break or would change where the message goes', async () => {
    const bad: Record<string, string>[] = [
      { 'x-a': `${CANARY}\r\nx-c: d` },
      { 'x-a': 'b\nGET / HTTP/1.1' },
      { 'x-a\r\nx-c': 'd' },
      { 'x-a: b': 'c' },
      { '': 'a' },
      { Host: 'metadata.internal' },
      { 'Content-Length': '0' },
      { 'Transfer-Encoding': 'chunked' },
      { 'Accept-Encoding': 'gzip' },
      { Connection: 'keep-alive' },
    ];
    for (const headers of bad)
      await expectFailure(internet.outbound.request({ ...secretRequest, headers }), 'bad_header');
    assert.equal(internet.dialled.length, 0);
  });

  test('is rejected if the caller does not allow the host, however it is written', async () => {
    const hosts = (host: string) => host === 'provider.test';
    await internet.outbound.request({ ...plain, hosts, url: 'https://PROVIDER.test/' });
    for (const host of [
      'evil.test',
      'provider.test.evil.test',
      'evil.test\\provider.test',
      'provider.test%2eevil.test',
    ])
      await expectFailure(
        internet.outbound.request({ ...secretRequest, hosts, url: `https://${host}/` }),
        'refused_host',
      );
    assert.equal(internet.dialled.length, 1);
  });

  test('returns a redirect as a response unless asked to follow it', async () => {
    const redirecting = await startTestInternet((_request, response) => {
      response.writeHead(302, { location: 'https://storage.test/' }).end('over there');
    });
    const { status, headers, body } = await redirecting.outbound.request(plain);
    assert.deepEqual([status, headers.location, body.toString()], [302, 'https://storage.test/', 'over there']);
    assert.equal(redirecting.asked.length, 1);
    await redirecting.close();
  });

  test('never starts if it was aborted before', async () => {
    await expectFailure(internet.outbound.request({ ...secretRequest, signal: AbortSignal.abort() }), 'aborted');
    assert.equal(internet.dialled.length, 0);
  });

  test('ends at once if it is aborted', async () => {
    const caller = new AbortController();
    const hanging = await startTestInternet(() => caller.abort());
    await expectFailure(hanging.outbound.request({ ...secretRequest, signal: caller.signal }), 'aborted');
    await hanging.allClosed();
    await hanging.close();
  });
});

describe('an address set by the operator', () => {
  test('may be plain http, but what it redirects to may not', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/') response.end('inside');
      else response.writeHead(302, { location: `http://localhost:${port}/` }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outbound = createOutbound({ allowPrivate: false });
    const trusted = { ...plain, url: `http://127.0.0.1:${port}/`, trusted: true };
    assert.equal((await outbound.request(trusted)).body.toString(), 'inside');
    const redirects = { most: 1, hosts: () => true };
    await expectFailure(outbound.request({ ...trusted, url: `${trusted.url}away`, redirects }), 'bad_url');
    server.close();
  });

  test('may be private, and is reached at whichever of its addresses responds', async () => {
    const internet = await startTestInternet((_request, response) => response.end('inside'));
    const outbound = createOutbound({ allowPrivate: false, resolve: async () => ['::1', '127.0.0.1'] });
    const url = `https://provider.test:${internet.port}/`;
    const { body } = await outbound.request({ ...plain, url, trusted: true });
    assert.equal(body.toString(), 'inside');
    await expectFailure(outbound.request({ ...secretRequest, url }), 'refused_address');
    await internet.close();
  });

  test('may be an IP address, if its certificate says so', async () => {
    const internet = await startTestInternet((_request, response) => response.end('inside'));
    const outbound = createOutbound({ allowPrivate: false });
    const url = `https://127.0.0.1:${internet.port}/`;
    assert.equal((await outbound.request({ ...plain, url, trusted: true })).body.toString(), 'inside');
    assert.deepEqual(internet.asked, [{ name: false, host: `127.0.0.1:${internet.port}` }]);
    await internet.close();
  });
});
