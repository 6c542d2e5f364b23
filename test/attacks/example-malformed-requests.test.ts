// Attack: end the example product, and every product that was made from it, with one request that nobody can parse.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startExampleAlone } from '../browser/example.ts';
import { useStage } from '../harness/use-stage.ts';

const example = useStage(() => startExampleAlone(''));

test('no request ends the example', async () => {
  const { hostname, port } = new URL(example.origin);
  for (const target of ['//', '/\\', '//[', 'http://[', '*', '/?%', '/%', '/constructor', 'a:b']) {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(await text(socket), /^HTTP\/1\.1 [234]\d\d /, target);
  }
  assert.equal((await fetch(example.origin)).status, 200);
});
