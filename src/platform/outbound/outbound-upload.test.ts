import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CANARY, expectFailure, startTestInternet, type TestInternet } from '../../../test/harness/test-internet.ts';

const FILE = Buffer.alloc(3_000_000, 'audio');
const PUT = { url: 'https://storage.test/file', method: 'PUT', timeoutMs: 60_000, mostBytes: 1_000 } as const;

describe('a body that is sent as a stream', () => {
  let internet: TestInternet;
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-upload-'));
    writeFileSync(join(directory, 'file'), FILE);
  });

  afterEach(async () => {
    await internet.allClosed();
    await internet.close();
    rmSync(directory, { recursive: true });
  });

  const serve = async (answer: RequestListener, settings = {}) => {
    internet = await startTestInternet(answer, settings);
    return internet.outbound;
  };

  const openFile = async () => (await open(join(directory, 'file'))).createReadStream();

  const ended = async (stream: Readable): Promise<void> => {
    if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
  };

  test('arrives complete, with its length announced', async () => {
    const received: [string | undefined, Buffer][] = [];
    const outbound = await serve(async (request, response) => {
      received.push([request.headers['content-length'], await buffer(request)]);
      response.end('kept');
    });
    const stream = await openFile();
    const answer = await outbound.request({ ...PUT, body: { stream, bytes: FILE.length } });
    assert.equal(answer.body.toString(), 'kept');
    assert.deepEqual(received, [[`${FILE.length}`, FILE]]);
    await ended(stream);
  });

  test('may be empty', async () => {
    const outbound = await serve(async (request, response) => response.end(`${(await buffer(request)).length}`));
    const answer = await outbound.request({ ...PUT, body: { stream: Readable.from([]), bytes: 0 } });
    assert.equal(answer.body.toString(), '0');
  });

  test('fails if it is longer or shorter than announced, and the other side gets no complete request', async () => {
    let whole = 0;
    const outbound = await serve((request) => {
      request.on('end', () => whole++);
      request.resume();
    });
    for (const bytes of [0, 1, FILE.length - 1, FILE.length + 1]) {
      const stream = await openFile();
      await expectFailure(outbound.request({ ...PUT, body: { stream, bytes } }), 'aborted');
      await ended(stream);
    }
    await internet.allClosed();
    assert.equal(whole, 0);
  });

  test('fails if it cannot be read, without revealing its own error', async () => {
    const outbound = await serve((request) => void request.resume());
    const stream = new Readable({
      read() {
        this.push('some');
        this.destroy(new Error(CANARY));
      },
    });
    await expectFailure(outbound.request({ ...PUT, body: { stream, bytes: 100 } }), 'aborted');
  });

  test('fails the same way if it could not be read before the connection was there', async () => {
    const { promise: failed, resolve: onFailed } = Promise.withResolvers<void>();
    const resolve = () => failed.then(() => ['93.184.215.14']);
    const outbound = await serve((request) => void request.resume(), { resolve });
    const stream = createReadStream(join(directory, 'no such file')).on('close', onFailed);
    await expectFailure(outbound.request({ ...PUT, body: { stream, bytes: 100 } }), 'aborted');
  });

  test('is closed if the request is never sent', async () => {
    const outbound = await serve((_request, response) => response.end(), { resolve: async () => ['10.0.0.1'] });
    const refused = await openFile();
    await expectFailure(outbound.request({ ...PUT, body: { stream: refused, bytes: FILE.length } }), 'refused_address');
    await ended(refused);
    const badAddress = await openFile();
    await expectFailure(
      outbound.request({ ...PUT, url: 'ftp://storage.test', body: { stream: badAddress, bytes: FILE.length } }),
      'bad_url',
    );
    await ended(badAddress);
  });

  test('is closed at the deadline if the other side does not read it', async () => {
    const outbound = await serve((request) => void request.pause());
    const stream = await openFile();
    const body = { stream, bytes: FILE.length };
    await expectFailure(outbound.request({ ...PUT, timeoutMs: 500, body }), 'timeout');
    await ended(stream);
  });

  test('is not sent along with a redirect', async () => {
    const asked: [string | undefined, number][] = [];
    const outbound = await serve(async (request, response) => {
      asked.push([request.method, (await buffer(request)).length]);
      if (request.url === '/file') response.writeHead(307, { location: '/other' }).end();
      else response.end('there');
    });
    const stream = await openFile();
    const redirects = { most: 1, hosts: () => true };
    await outbound.request({ ...PUT, redirects, body: { stream, bytes: FILE.length } });
    assert.deepEqual(asked, [
      ['PUT', FILE.length],
      ['GET', 0],
    ]);
    await ended(stream);
  });
});
