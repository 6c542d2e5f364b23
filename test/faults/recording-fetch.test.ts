import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import type { OutboundSettings } from '../../src/platform/index.ts';
import { StorageFailed } from '../../src/telephony/contract/recording-storage.ts';
import { createRecordingsStage, PASSWORD, type RecordingsStage, STAND_IN } from '../harness/recordings-stage.ts';
import { SOMEWHERE_PUBLIC, startTestInternet, type TestInternet } from '../harness/test-internet.ts';

const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(100_000, 7)]);
const CANARY = 'link-canary-88d1';
const LINK = `https://provider.test/recording.mp3?signature=${CANARY}`;

describe('a recording fetched from a host that is', () => {
  let internet: TestInternet;
  let stage: RecordingsStage;
  let asked: IncomingMessage[];

  type Stage = NonNullable<Parameters<typeof createRecordingsStage>[1]>;

  const begin = async (
    answer: RequestListener,
    { settings = {}, ...rest }: Stage & { settings?: Partial<OutboundSettings> } = {},
  ): Promise<string> => {
    asked = [];
    const count: RequestListener = (request, response) => {
      asked.push(request);
      answer(request, response);
    };
    internet = await startTestInternet(count, settings);
    stage = await createRecordingsStage('sqlite', { outbound: internet.outbound, ...rest });
    return stage.addRecording(await stage.addAccount(), { mediaUrl: LINK });
  };

  afterEach(async () => {
    await internet.allClosed();
    assert.deepEqual(stage.incoming(), [], 'nothing is left behind');
    await stage.close();
    await internet.close();
  });

  const audio: RequestListener = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO);

  /** One attempt, and the recording afterward. There's no secret in it, in the job's error, or in the log. */
  const fetchOnce = async (id: string, attempt?: number) => {
    const error = await stage.fetch(id, attempt);
    const { state, problem, fetchedFrom } = await stage.rowOf(id);
    const said = JSON.stringify([problem, error?.message, error?.stack, stage.lines]);
    for (const secret of [PASSWORD, CANARY]) assert.ok(!said.includes(secret), said);
    return { state, problem, fetchedFrom, retried: error !== null };
  };

  const refused = (problem: string) => ({ state: 'failed', problem, fetchedFrom: null, retried: false });

  describe('somewhere other than it said', () => {
    test('is followed to a listed host, and the credentials stay behind', async () => {
      const id = await begin((request, response) =>
        request.headers.host === 'provider.test'
          ? void response.writeHead(302, { location: 'https://storage.test/file' }).end()
          : audio(request, response),
      );
      const { state, fetchedFrom } = await fetchOnce(id);
      assert.deepEqual([state, fetchedFrom], ['archived', 'storage.test']);
      assert.equal(asked[0]?.headers.authorization, `Bearer ${PASSWORD}`);
      assert.equal(asked[1]?.headers.authorization, undefined);
      assert.ok(!JSON.stringify(asked[1]?.rawHeaders).includes(PASSWORD));
    });

    for (const location of [
      'https://evil.test/file',
      'https://storage.test.evil.test/file',
      'https://evil-cdn.test/file',
      'https://cdn.test/file',
      'https://storage.test./file',
      'https://93.184.215.14/file',
      'http://storage.test/file',
      'ftp://storage.test/file',
      'https://user:password@storage.test/file',
    ])
      test(`is not followed to ${location}`, async () => {
        const id = await begin((_request, response) => void response.writeHead(302, { location }).end());
        const { state, problem, retried } = await fetchOnce(id);
        assert.deepEqual([state, retried], ['failed', false], `${problem}`);
        assert.equal(asked.length, 1);
      });

    test('is not followed in circles', async () => {
      const id = await begin(
        (_request, response) => void response.writeHead(302, { location: 'https://storage.test/again' }).end(),
      );
      assert.match((await fetchOnce(id)).problem ?? '', /too many redirects/);
      assert.equal(asked.length, 6);
      assert.equal((await stage.rowOf(id)).state, 'failed');
    });
  });

  describe('not a public host', () => {
    const anywhere = {
      ...STAND_IN,
      mediaOf: ({ mediaUrl }: { mediaUrl: string | null }) => {
        const host = new URL(mediaUrl ?? '').hostname.replace(/^\[|\]$/g, '');
        return { url: mediaUrl ?? '', headers: {}, hosts: [host], redirectHosts: [] };
      },
    };

    for (const host of [
      '127.0.0.1',
      '10.0.0.7',
      '169.254.169.254',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[::ffff:7f00:1]',
      '[fd00::1]',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '127.1',
      '192.168.0.1',
    ])
      test(`is refused and not retried: ${host}`, async () => {
        await begin(audio, { provider: anywhere });
        const accountId = await stage.addAccount();
        const id = await stage.addRecording(accountId, { mediaUrl: `https://${host}/recording.mp3` });
        const { state, problem, retried } = await fetchOnce(id);
        assert.deepEqual([state, retried], ['failed', false]);
        assert.match(problem ?? '', /does not have a public address/);
        assert.equal(internet.dialled.length, 0);
      });

    test('is refused if its name resolves to an internal address, alone or among others', async () => {
      for (const addresses of [['10.0.0.1'], [SOMEWHERE_PUBLIC, '127.0.0.1'], ['::ffff:192.168.0.1'], []]) {
        const id = await begin(audio, { settings: { resolve: async () => addresses } });
        assert.deepEqual(
          await fetchOnce(id),
          refused('The request to provider.test failed: the host does not have a public address.'),
        );
        assert.equal(internet.dialled.length, 0);
        await stage.close();
        await internet.close();
      }
      await begin(audio);
    });

    test('is not reached through a name that changes its address: what was checked is what is dialed', async () => {
      const answers = [SOMEWHERE_PUBLIC, '127.0.0.1'];
      const id = await begin(
        (request, response) =>
          request.headers.host === 'provider.test'
            ? void response.writeHead(302, { location: 'https://storage.test/file' }).end()
            : audio(request, response),
        { settings: { resolve: async () => [answers.shift() ?? '127.0.0.1'] } },
      );
      assert.deepEqual(
        await fetchOnce(id),
        refused('The request to storage.test failed: the host does not have a public address.'),
      );
      assert.deepEqual(
        internet.dialled.map(({ addresses }) => addresses),
        [[SOMEWHERE_PUBLIC]],
      );
    });

    test('is refused if the payload names a host the provider does not have', async () => {
      await begin(audio);
      const id = await stage.addRecording(await stage.addAccount(), { mediaUrl: 'https://evil.test/recording.mp3' });
      assert.deepEqual(
        await fetchOnce(id),
        refused('The request to evil.test failed: the host is not allowed for this request.'),
      );
      assert.equal(internet.dialled.length, 0);
    });
  });

  describe('slow, endless or broken', () => {
    for (const [what, length, leftAloneSeconds, cutOffSeconds] of [
      ['after half a minute if it hangs', AUDIO.length, 29, 2],
      ['after ten minutes if it keeps sending', 32 * 1024 * 1024, 9 * 60, 61],
    ] as const)
      test(`is cut off ${what}, and retried`, async (t) => {
        let begun: () => void = () => undefined;
        const underWay = new Promise<void>((resolve) => {
          begun = resolve;
        });
        const id = await begin((_request, response) => {
          response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(Buffer.alloc(length, AUDIO), begun);
        });
        t.mock.timers.enable({ apis: ['setTimeout'] });
        // In one step, a timer set by another would count from the end of the step.
        const pass = (seconds: number) => {
          for (let second = 0; second < seconds; second++) t.mock.timers.tick(1_000);
        };
        const fetching = fetchOnce(id);
        await underWay;
        pass(leftAloneSeconds);
        assert.equal((await stage.rowOf(id)).problem, null);
        pass(cutOffSeconds);
        const { state, problem, retried } = await fetching;
        assert.deepEqual([state, retried], ['waiting', true]);
        assert.match(problem ?? '', /it timed out/);
      });

    test('is cut off if it never ends, and not retried', async () => {
      const id = await begin((_request, response) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg' });
        const more = () => {
          while (response.write(AUDIO));
        };
        response.on('drain', more);
        more();
      });
      assert.deepEqual(await fetchOnce(id), refused('The request to provider.test failed: the response is too large.'));
    });

    test('is refused for the size it announces', async () => {
      const id = await begin((_request, response) =>
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 201 * 1024 * 1024 }).flushHeaders(),
      );
      assert.deepEqual(await fetchOnce(id), refused('The request to provider.test failed: the response is too large.'));
    });

    for (const [what, raw] of [
      ['by its length', `content-length: ${AUDIO.length + 1}`],
      ['in its chunks', 'transfer-encoding: chunked'],
    ])
      test(`is not stored if cut off ${what}, and is retried`, async () => {
        const id = await begin((_request, response) => {
          const socket = response.socket as Socket;
          const chunk = what === 'in its chunks' ? `${AUDIO.length.toString(16)}\r\n` : '';
          socket.write(`HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\n${raw}\r\n\r\n${chunk}`);
          socket.end(AUDIO);
        });
        const { state, problem, retried } = await fetchOnce(id);
        assert.deepEqual([state, retried], ['waiting', true]);
        assert.match(problem ?? '', /connection failed/);
      });

    test('is retried if empty', async () => {
      const id = await begin(
        (_request, response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(),
      );
      assert.equal((await fetchOnce(id)).retried, true);
    });

    test('is waited for: first it has nothing, then it has it', async () => {
      const id = await begin((request, response) =>
        asked.length === 1 ? void response.writeHead(404).end() : audio(request, response),
      );
      assert.deepEqual((await fetchOnce(id)).retried, true);
      assert.equal((await fetchOnce(id, 2)).state, 'archived');
    });
  });

  describe('sending something else', () => {
    const cases: [string, Record<string, string>, string][] = [
      ['a page', { 'content-type': 'text/html' }, '<html>sign in</html>'],
      ['no type', {}, 'ID3 and so on and on'],
      ['a page without its type', { 'content-type': 'application/octet-stream' }, '<!doctype html><html>'],
      ['a few bytes', { 'content-type': 'application/octet-stream' }, 'ID3'],
      ['JSON', { 'content-type': 'application/json' }, '{}'],
    ];
    for (const [what, headers, body] of cases)
      test(`is refused: ${what}`, async () => {
        const id = await begin((_request, response) => void response.writeHead(200, headers).end(body));
        assert.deepEqual(await fetchOnce(id), refused('provider.test sent something other than audio.'));
      });

    test('is refused: something compressed', async () => {
      const headers = { 'content-type': 'audio/mpeg', 'content-encoding': 'gzip' };
      const id = await begin((_request, response) => void response.writeHead(200, headers).end(AUDIO));
      assert.equal((await fetchOnce(id)).state, 'failed');
    });

    test('is accepted if the bytes show what it is, even if they arrive one by one', async () => {
      const id = await begin(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        for (const byte of AUDIO.subarray(0, 30))
          await new Promise<void>((done) => response.write(Buffer.of(byte), () => done()));
        response.end(AUDIO.subarray(30));
      });
      assert.equal((await fetchOnce(id)).state, 'archived');
      const { contentType, bytes } = await stage.rowOf(id);
      assert.deepEqual([contentType, bytes], ['audio/mpeg', AUDIO.length]);
    });
  });

  describe('fine, while our own storage is not', () => {
    const storageThat = (put: () => Promise<void>) => ({
      put,
      open: async () => {
        throw new StorageFailed('away');
      },
      remove: async () => undefined,
      forgetTeam: async () => undefined,
    });

    test('waits until there is room again, and is not given up', async () => {
      let full = true;
      const storage = storageThat(async () => {
        if (full) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      });
      const id = await begin(audio, { storage });
      const { state, problem, retried } = await fetchOnce(id, stage.lastAttempt);
      assert.deepEqual([state, retried], ['waiting', false]);
      assert.equal(problem, "The recording was fetched but couldn't be stored. The storage is full or unavailable.");
      assert.equal(stage.enqueued[0]?.delayMs, 600_000);
      full = false;
      assert.equal((await fetchOnce(id)).state, 'archived');
    });

    test('waits too if the data directory cannot be written', async () => {
      const id = await begin(audio);
      mkdirSync(join(stage.data, 'recordings'));
      const obstacle = join(stage.data, 'recordings', 'incoming');
      writeFileSync(obstacle, 'not a folder');
      assert.equal((await fetchOnce(id)).state, 'waiting');
      assert.equal(asked.length, 0);
      rmSync(obstacle);
      assert.equal((await fetchOnce(id)).state, 'archived');
    });

    test('is whole again after a crash between the storage and the row', async () => {
      let crash = true;
      const id = await begin(audio);
      const { put } = stage.storage;
      stage.storage.put = async (...args) => {
        await put(...args);
        if (crash) throw new Error('The process ends here.');
      };
      assert.equal((await fetchOnce(id)).state, 'waiting');
      crash = false;
      assert.equal((await fetchOnce(id)).state, 'archived');
    });
  });
});
