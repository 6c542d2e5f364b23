import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, describe, test } from 'node:test';
import S3rver from 's3rver';
import { createTestClock } from '../../../test/harness/app.ts';
import {
  createNewId,
  createOutbound,
  OutboundFailed,
  type OutboundRequest,
  Secret,
  signBucketRequest,
  systemClock,
} from '../../platform/index.ts';
import { RecordingLost, type RecordingStorage, recordingKey, StorageFailed } from '../contract/recording-storage.ts';
import { createRecordingBucket } from './recording-bucket.ts';

const newId = createNewId(systemClock);
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: new Secret('S3RVER') };
const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

/** Outgoing requests as in production. The operator's own bucket may have a private address and plain http anyway. */
const outbound = createOutbound({ allowPrivate: false });

describe('recordings in a bucket', () => {
  let directory: string;
  let server: S3rver;
  let storage: RecordingStorage;
  let endpoint: string;
  const key = recordingKey({ teamId: newId(), id: newId() });

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-bucket-'));
    server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory,
      configureBuckets: [{ name: 'calls', configs: [] }],
    });
    const { port } = await server.run();
    endpoint = `http://127.0.0.1:${port}`;
    const settings = { endpoint, bucket: 'calls', region: 'us-east-1', ...CREDENTIALS };
    storage = createRecordingBucket({ outbound, clock: systemClock }, settings);
  });

  after(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  const put = async (content: Buffer, digest = sha256(content)): Promise<void> => {
    const path = join(directory, newId());
    writeFileSync(path, content);
    await storage.put(key, { path, bytes: content.length, sha256: digest });
  };

  const read = async (start: number, length: number) => buffer(await storage.open(key, { start, length }));

  test('are stored, read in parts and removed', async () => {
    const content = randomBytes(3_000_000);
    await put(content);
    assert.ok((await read(0, content.length)).equals(content));
    assert.ok((await read(1_234_567, 7_654)).equals(content.subarray(1_234_567, 1_242_221)));
    assert.equal((await read(5, 0)).length, 0);
    await storage.remove(key);
    await storage.remove(key);
    await assert.rejects(storage.open(key, { start: 0, length: 1 }), RecordingLost);
  });

  test('are replaced as a whole', async () => {
    await put(Buffer.from('the first and longer one'));
    await put(Buffer.from('the second'));
    assert.equal((await read(0, 10)).toString(), 'the second');
  });

  test('count as missing if there is less than there should be', async () => {
    await put(Buffer.from('the audio'));
    await assert.rejects(storage.open(key, { start: 0, length: 1_000_000 }), RecordingLost);
    await assert.rejects(storage.open(key, { start: 100, length: 5 }), RecordingLost);
  });

  test('are stored under ids and nothing else', async () => {
    await assert.rejects(storage.open('../other', { start: 0, length: 1 }), TypeError);
    await assert.rejects(storage.remove(`${key}?versionId=1`), TypeError);
  });

  test('fail without the secret or the address in the error if the bucket is missing', async () => {
    const settings = { endpoint, bucket: 'no-such', region: 'us-east-1', ...CREDENTIALS };
    const other = createRecordingBucket({ outbound, clock: systemClock }, settings);
    const path = join(directory, newId());
    writeFileSync(path, 'x');
    await assert.rejects(other.put(key, { path, bytes: 1, sha256: sha256('x') }), (error: Error) => {
      assert.ok(error instanceof StorageFailed);
      assert.equal(error.message, "The bucket didn't accept the recording (404).");
      return true;
    });
  });
});

describe('a broken bucket', () => {
  let server: Server;

  afterEach(() => server.close());

  const bucketThat = async (status: number, body: string): Promise<RecordingStorage> => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(status, { 'content-length': body.length }).end(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { endpoint, bucket: 'calls', region: 'us-east-1', ...CREDENTIALS };
    return createRecordingBucket({ outbound, clock: systemClock }, settings);
  };

  test('is distinguished from one that lost the recording', async () => {
    const key = recordingKey({ teamId: newId(), id: newId() });
    const storage = await bucketThat(503, 'slow down');
    await assert.rejects(storage.open(key, { start: 0, length: 5 }), StorageFailed);
    await assert.rejects(storage.remove(key), StorageFailed);
  });

  test('may not support ranges: then only the whole will do', async () => {
    const key = recordingKey({ teamId: newId(), id: newId() });
    const storage = await bucketThat(200, 'audio');
    assert.equal((await buffer(await storage.open(key, { start: 0, length: 5 }))).toString(), 'audio');
    await assert.rejects(storage.open(key, { start: 1, length: 4 }), StorageFailed);
  });
});

describe('a bucket that says nothing', () => {
  const asked: OutboundRequest[] = [];
  const note = async (request: OutboundRequest): Promise<never> => {
    asked.push(request);
    throw new OutboundFailed('timeout', 'bucket.example');
  };
  const settings = { endpoint: 'https://bucket.example', bucket: 'calls', region: 'us-east-1', ...CREDENTIALS };
  const storage = createRecordingBucket({ outbound: { request: note, open: note }, clock: systemClock }, settings);
  const key = recordingKey({ teamId: newId(), id: newId() });

  test('is given up on while whoever wants to listen still waits for a response', async () => {
    await assert.rejects(storage.open(key, { start: 0, length: 5 }), OutboundFailed);
    assert.ok((asked.pop()?.idleMs ?? Number.POSITIVE_INFINITY) < 15_000);
  });

  test('holds up what is to be stored for as long as that much takes, and no longer', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-bucket-'));
    const path = join(directory, 'audio');
    writeFileSync(path, 'audio');
    // Reads the file to its end, as a real request would.
    const closeFile = ({ body }: OutboundRequest) =>
      typeof body === 'object' && 'stream' in body ? buffer(body.stream) : null;
    const limitFor = async (bytes: number) => {
      await assert.rejects(storage.put(key, { path, bytes, sha256: '' }), OutboundFailed);
      const request = asked.pop() ?? assert.fail();
      await closeFile(request);
      return request.timeoutMs;
    };
    assert.equal(await limitFor(100), 30_001);
    assert.equal(await limitFor(6_000_000), 90_000);
    assert.equal(await limitFor(900_000_000), 600_000);
    rmSync(directory, { recursive: true });
  });
});

/** Signs a request by hand, following the description of Signature Version 4. */
const signByHand = (
  url: URL,
  method: string,
  at: string,
  headers: Record<string, string>,
  region: string,
  secret: string,
) => {
  const names = ['host', 'x-amz-content-sha256', 'x-amz-date'];
  const canonical = [
    method,
    url.pathname,
    '',
    ...names.map((name) => `${name}:${name === 'host' ? url.host : headers[name]}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${at.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const signingKey = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return { scope, signature: hmac(signingKey, toSign).toString('hex'), names: names.join(';') };
};

describe('the signature of a request to a bucket', () => {
  const clock = createTestClock(Date.parse('2026-11-15T12:34:56.789Z'));
  const settings = {
    endpoint: 'https://storage.example:9443',
    bucket: 'calls',
    region: 'eu-central-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  };

  for (const method of ['GET', 'PUT', 'DELETE'] as const)
    test(`matches a second implementation: ${method}`, async () => {
      const key = `recordings/${newId()}/${newId()}`;
      const body = method === 'PUT' ? 'audio' : '';
      const asked = { method, key, sha256: sha256(body), ...(method === 'GET' && { range: 'bytes=0-9' }) };
      const { url, headers = {} } = await signBucketRequest({ clock }, settings, asked);
      const { scope, signature, names } = signByHand(
        new URL(url),
        method,
        '20261115T123456Z',
        headers,
        settings.region,
        settings.secretAccessKey.reveal(),
      );
      assert.equal(
        headers['authorization'],
        `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, Signature=${signature}`,
      );
      assert.equal(url, `https://storage.example:9443/calls/${key}`);
      assert.equal(headers['x-amz-content-sha256'], sha256(body));
      assert.equal(headers['range'], method === 'GET' ? 'bytes=0-9' : undefined);
    });

  test('treats no body like an empty one', async () => {
    const { headers = {} } = await signBucketRequest({ clock }, settings, { method: 'DELETE', key: 'a' });
    assert.equal(headers['x-amz-content-sha256'], sha256(''));
  });
});
