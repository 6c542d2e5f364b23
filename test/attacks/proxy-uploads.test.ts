import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createBodyReader } from '../../src/integrations/proxy/read-body.ts';
import { SECRETS } from '../harness/app.ts';
import { moveTime } from '../harness/move-time.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;
/** At the default rate limit, this many requests of a caller may be in progress. */
const SLOTS = 8;

describe('proxied uploads that stand still', () => {
  const stage = useStage(() => openProxyStage('sqlite', {}, { PATCHBAY_RATE_LIMIT: '6000' }));

  /** Sends all but the last byte of as many bodies as there are slots. */
  const stall = async (authorization: string) => {
    const sent = printRequest(stage.proxied('x'), {
      method: 'POST',
      headers: [
        ['Host', 'localhost:3000'],
        ['Authorization', authorization],
      ],
      body: 'held',
    });
    let arrived = 0;
    stage.server.server.on('request', () => arrived++);
    const sockets = Array.from({ length: SLOTS }, () => connect(stage.port, '127.0.0.1').setEncoding('latin1'));
    const answers: string[] = [];
    for (const socket of sockets) {
      socket.on('data', (text) => answers.push(String(text))).on('error', () => undefined);
      socket.write(sent.subarray(0, -1));
    }
    await waitUntil('all of them have arrived', () => arrived >= SLOTS);
    return { sockets, answers, last: sent.subarray(-1) };
  };

  test('keep nobody from anything else, and are passed on once they go on', async () => {
    const { admin, member } = await stage.connected();
    const promoted = { method: 'PATCH', url: `/api/members/${member.user.id}`, payload: { role: 'admin' } } as const;
    await stage.server.inject({ ...promoted, headers: admin.headers });
    stage.api.reset();
    const all = [await stall(admin.headers.authorization), await stall(member.headers.authorization)];
    for (const { headers } of [admin, member]) {
      assert.equal((await stage.call('/api/integrations/status', { headers })).status, 200);
      assert.equal((await stage.call(stage.proxied('y'), { headers })).status, 200);
      assert.equal((await stage.call(stage.proxied('z'), { method: 'POST', headers, body: 'quick' })).status, 200);
    }
    assert.deepEqual(
      all.flatMap(({ answers }) => answers),
      [],
      'None of them has ended in the meantime.',
    );
    assert.ok(stage.api.received.every(({ body }) => body !== 'held'));
    for (const { sockets, last } of all) for (const socket of sockets) socket.write(last);
    const held = () => stage.api.received.filter(({ body }) => body === 'held').length;
    await waitUntil('they are passed on', () => held() === 2 * SLOTS);
    for (const { sockets } of all) for (const socket of sockets) socket.destroy();
  });
});

describe('a proxied upload that its caller abandons', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  const readMetrics = async (): Promise<string> => {
    const authorization = `Bearer ${SECRETS.METRICS_TOKEN}`;
    const { body } = await stage.server.inject({ url: '/metrics', headers: { authorization } });
    const lines = body.split('\n').filter((line) => /request_seconds_count.*\/proxy\//.test(line));
    return lines.map((line) => /status="([^"]*)"/.exec(line)?.[1]).join();
  };

  /** Sends all but the last byte, once it was asked for. */
  const leave = async (bytes: number): Promise<void> => {
    const { headers } = await stage.connected();
    const lines = [
      ['Host', 'localhost:3000'],
      ['Authorization', headers.authorization],
      ['Expect', '100-continue'],
      ['Content-Length', String(bytes)],
    ] as const;
    const socket = connect(stage.port, '127.0.0.1').on('error', () => undefined);
    let heard = '';
    socket.on('data', (piece) => {
      heard += piece;
    });
    socket.write(printRequest(stage.proxied('x'), { method: 'POST', headers: lines }));
    await waitUntil('it is asked for', () => heard.startsWith('HTTP/1.1 100 '));
    socket.write(Buffer.alloc(bytes - 1), () => socket.destroy());
    const left = (): boolean => stage.lines.some(({ message }) => message.startsWith('a caller left'));
    await waitUntil('it is over', left);
  };

  for (const [what, bytes] of [
    ['one that is kept until it is complete', 10],
    ['one that is passed on while it arrives', 3 * MEBIBYTE],
  ] as const)
    test(`is no failure of ours or the provider's: ${what}`, async () => {
      stage.lines.length = 0;
      stage.api.answer((request) => request.on('error', () => undefined).resume());
      await leave(bytes);
      assert.deepEqual(
        stage.lines.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level)),
        [],
      );
      assert.equal(await readMetrics(), '4xx');
    });
});

describe('bodies that are kept until they are complete', () => {
  const createRequest = (headers: Record<string, string>): IncomingMessage => {
    const request = new IncomingMessage(new Socket());
    request.method = 'POST';
    Object.assign(request.headers, headers);
    return request;
  };
  const MAY = async () => undefined;
  const almostLong = { 'content-length': String(MEBIBYTE) };
  /** Once everything that was pushed has been read. */
  const settled = async (promise: Promise<unknown>): Promise<boolean> => {
    let isSettled = false;
    promise.then(
      () => (isSettled = true),
      () => undefined,
    );
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    return isSettled;
  };

  test('of one caller leave room for those of others', async () => {
    const readBody = createBodyReader();
    const begun = [];
    for (let count = 0; count < 15; count++) {
      const request = createRequest(almostLong);
      const reading = readBody(request, 'one', MAY);
      request.push(Buffer.alloc(MEBIBYTE));
      assert.equal(await settled(reading), false, 'It waits for its end.');
      begun.push({ request, reading });
    }
    const another = createRequest(almostLong);
    another.push(Buffer.alloc(MEBIBYTE));
    const passedOn = await readBody(another, 'one', MAY);
    assert.ok(!Buffer.isBuffer(passedOn.content), 'Nothing more of this caller is kept.');
    const others = createRequest({ 'content-length': '5' });
    others.push('hello');
    others.push(null);
    const kept = await readBody(others, 'other', MAY);
    assert.deepEqual(kept.content, Buffer.from('hello'));
    for (const { request } of begun) request.push(null);
    for (const { reading } of begun) (await reading).release();
    passedOn.release();
    const later = createRequest({ 'content-length': '5' });
    later.push('hello');
    later.push(null);
    assert.ok(Buffer.isBuffer((await readBody(later, 'one', MAY)).content), 'What was released is free again.');
  });

  test('of very many callers have a limit together, and those beyond it are passed on', async () => {
    const readBody = createBodyReader();
    const begun = [];
    for (let count = 0; count < 64; count++) {
      const request = createRequest(almostLong);
      const reading = readBody(request, `caller ${count}`, MAY);
      request.push(Buffer.alloc(MEBIBYTE));
      if (count < 63) assert.equal(await settled(reading), false, 'It waits for its end.');
      begun.push({ request, reading });
    }
    const readShort = async (caller: string) => {
      const request = createRequest({ 'content-length': '5' });
      request.push('hello');
      request.push(null);
      return readBody(request, caller, MAY);
    };
    await begun.at(-1)?.reading;
    const beyond = await readShort('one more');
    assert.ok(beyond.content instanceof Readable);
    beyond.release();
    for (const { request } of begun) request.push(null);
    for (const { reading } of begun) (await reading).release();
    assert.ok(Buffer.isBuffer((await readShort('later')).content));
  });

  test('give back what they took if their caller leaves', async () => {
    const readBody = createBodyReader();
    for (let count = 0; count < 20; count++) {
      const request = createRequest(almostLong);
      const reading = readBody(request, 'one', MAY);
      request.push(Buffer.alloc(MEBIBYTE));
      await settled(reading);
      request.destroy(new Error('aborted'));
      await assert.rejects(reading, { code: 'http.caller_gone' }, `number ${count} was still kept`);
    }
  });

  test('are the same if they arrive in thousands of pieces', async () => {
    const readBody = createBodyReader();
    const request = createRequest({ 'transfer-encoding': 'chunked' });
    const reading = readBody(request, 'one', MAY);
    const pieces = Array.from({ length: 2_500 }, (_, count) => `${count},`);
    for (const piece of pieces) {
      request.push(piece);
      await setImmediate();
    }
    request.push(null);
    assert.equal(String((await reading).content), pieces.join(''));
  });
});

describe('bodies that are passed on while they arrive', () => {
  const MAY = async () => undefined;

  /** A long body, and a clock that the test moves. */
  const begin = async (context: TestContext) => {
    const time = moveTime(context);
    const request = new IncomingMessage(new Socket());
    request.method = 'POST';
    request.headers['content-length'] = String(40 * MEBIBYTE);
    const { content } = await createBodyReader()(request, 'one', MAY);
    assert.ok(content instanceof Readable);
    let ended = false;
    content
      .on('error', () => undefined)
      .once('close', () => {
        ended = true;
      });
    content.resume();
    const pass = async (ms: number): Promise<void> => {
      await setImmediate();
      time.pass(ms);
      await setImmediate();
    };
    return { request, pass, hasEnded: () => ended };
  };

  test('end if a byte comes now and then', async (context) => {
    const { request, pass, hasEnded } = await begin(context);
    await pass(50_000);
    request.push('x');
    await pass(9_000);
    assert.equal(hasEnded(), false);
    await pass(2_000);
    assert.equal(hasEnded(), true);
  });

  test('may be slow', async (context) => {
    const { request, pass, hasEnded } = await begin(context);
    for (let minute = 0; minute < 10; minute++) {
      await pass(55_000);
      request.push(Buffer.alloc(MEBIBYTE));
    }
    await setImmediate();
    assert.equal(hasEnded(), false);
    request.destroy();
  });
});
