// Attack: end the example product, and every product that was made from it, with one request that nobody can parse.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type Example, startExample } from '../browser/example.ts';
import { findFreePort } from '../harness/free-port.ts';

/** All that the example needs to start. */
const patchbay = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end('{}');
});
let example: Example;

before(async () => {
  patchbay.listen(0, '127.0.0.1');
  await once(patchbay, 'listening');
  const { port } = patchbay.address() as AddressInfo;
  example = await startExample(await findFreePort(), { url: `http://127.0.0.1:${port}`, token: 'x'.repeat(32) });
});

after(async () => {
  await example.stop();
  patchbay.close();
});

test('no request ends the example', async () => {
  const { hostname, port } = new URL(example.origin);
  for (const target of ['//', '/\\', '//[', 'http://[', '*', '/?%', '/%', '/constructor', 'a:b']) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(await text(socket), /^HTTP\/1\.1 [234]\d\d /, target);
  }
  assert.equal((await fetch(example.origin)).status, 200);
});
