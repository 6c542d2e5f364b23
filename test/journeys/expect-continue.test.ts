import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, describe, type TestContext, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const VOICE = '/api/webhooks/telephony/voice';

describe('a body that its sender holds back until it is asked for', () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(async () => {
    stage.api.reset();
    await stage.removeConnections();
  });

  type Sent = { type?: string; authorization?: string; bytes: number };

  /** Sends only the head, as curl does with a large body, and reads what comes back. */
  const announce = (context: TestContext, target: string, { type, authorization, bytes }: Sent) => {
    const socket = connect(stage.port, '127.0.0.1').on('error', () => undefined);
    context.after(() => socket.destroy());
    const heard: Buffer[] = [];
    socket.on('data', (piece) => heard.push(piece));
    const headers = [
      ['Host', 'localhost:3000'],
      ['Expect', '100-continue'],
      ['Content-Length', String(bytes)],
      ['Content-Type', type ?? 'application/octet-stream'],
      ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
    ] as const;
    socket.write(printRequest(target, { method: 'POST', headers }));
    const read = (): string => Buffer.concat(heard).toString();
    return {
      read,
      async finish(body: Buffer | string): Promise<string> {
        await waitUntil('the body is asked for', () => read() === CONTINUE);
        socket.write(body);
        const answer = (): string => read().slice(CONTINUE.length);
        await waitUntil('there is a response', () => answer().includes('\r\n\r\n'));
        return answer();
      },
      async hearRefusal(): Promise<string> {
        await waitUntil('the connection ends', () => socket.closed);
        return read();
      },
    };
  };

  for (const [what, bytes] of [
    ['small', 5],
    ['large', 3 * MEBIBYTE],
  ] as const)
    test(`is asked for and passed on to a provider's API: a ${what} one`, async (context) => {
      const { authorization } = (await stage.connected()).headers;
      const answer = await announce(context, stage.proxied('files'), { authorization, bytes }).finish(
        Buffer.alloc(bytes, 'x'),
      );
      assert.match(answer, /^HTTP\/1\.1 200 /);
      const [received] = stage.api.received;
      assert.equal(received?.body.length, bytes);
      assert.equal(received.headers['expect'], undefined);
    });

  test('is asked for by the API', async (context) => {
    const { authorization } = (await stage.newTeam()).admin.headers;
    const body = '{"name":"by curl"}';
    const sent = { type: 'application/json', authorization, bytes: body.length };
    assert.match(await announce(context, '/api/tokens', sent).finish(body), /^HTTP\/1\.1 201 /);
  });

  test('is asked for from whoever signs it', async (context) => {
    const body = 'CallSid=CA1';
    const sent = { type: 'application/x-www-form-urlencoded', bytes: body.length };
    assert.match(await announce(context, VOICE, sent).finish(body), /^HTTP\/1\.1 40\d /);
  });

  test('is asked for once the responses before it are sent', async (context) => {
    const { authorization } = (await stage.connected()).headers;
    let release = (): void => undefined;
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      if (request.url === '/v1/slow') await new Promise<void>((go) => (release = go));
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    const socket = connect(stage.port, '127.0.0.1').on('error', () => undefined);
    context.after(() => socket.destroy());
    const heard: Buffer[] = [];
    socket.on('data', (piece) => heard.push(piece));
    const read = (): string => Buffer.concat(heard).toString();
    const own = [
      ['Host', 'localhost:3000'],
      ['Authorization', authorization],
    ] as const;
    const held = [...own, ['Expect', '100-continue'], ['Content-Length', '5']] as const;
    socket.write(printRequest(stage.proxied('slow'), { headers: own }));
    socket.write(printRequest(stage.proxied('files'), { method: 'POST', headers: held }));
    await waitUntil('the first request is at the provider', () => stage.api.received.length === 1);
    // The second request has begun by the time a third one on another connection is through.
    assert.equal((await stage.call(stage.proxied('me'), { headers: { authorization } })).status, 200);
    assert.equal(read(), '');
    release();
    const first = /^HTTP\/1\.1 200 .*?\r\n\r\n\{"ok":true\}/s;
    await waitUntil('the body is asked for', () => read().replace(first, '') === CONTINUE);
    socket.write('hello');
    await waitUntil('there are two responses', () => read().split('{"ok":true}').length === 3);
    assert.match(read().replace(first, '').slice(CONTINUE.length), /^HTTP\/1\.1 200 [^{]*\r\n\r\n\{"ok":true\}$/s);
    assert.equal(stage.api.received.find(({ url }) => url === '/v1/files')?.body, 'hello');
  });

  test('is never asked for within a response, although it came unasked while others waited', async (context) => {
    const { authorization } = (await stage.connected()).headers;
    let release = (): void => undefined;
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      if (request.url === '/v1/slow') await new Promise<void>((go) => (release = go));
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    const socket = connect(stage.port, '127.0.0.1').on('error', () => undefined);
    context.after(() => socket.destroy());
    const heard: Buffer[] = [];
    socket.on('data', (piece) => heard.push(piece));
    const own = [
      ['Host', 'localhost:3000'],
      ['Authorization', authorization],
    ] as const;
    socket.write(printRequest(stage.proxied('slow'), { headers: own }));
    const headers = [...own, ['Expect', '100-continue']] as const;
    socket.write(printRequest(stage.proxied('files'), { method: 'POST', headers, body: 'hello' }));
    await waitUntil('both requests are at the provider', () => stage.api.received.length === 2);
    release();
    const read = (): string => Buffer.concat(heard).toString();
    await waitUntil('there are two responses', () => read().split('{"ok":true}').length === 3);
    assert.match(read(), /^(?:HTTP\/1\.1 200 [^{]*?\r\n\r\n\{"ok":true\}){2}$/s);
    assert.doesNotMatch(read(), /100 Continue/);
  });

  const refused: Record<string, [status: number, target: string, sent: Sent, known: boolean]> = {
    'of a stranger at the proxy': [401, 'files', { bytes: 3 * MEBIBYTE }, false],
    'that is too large for the proxy': [413, 'files', { bytes: 51 * MEBIBYTE }, true],
    'of a stranger at the API': [401, '/api/tokens', { type: 'application/json', bytes: 20 }, false],
    'that is too large for the API': [413, '/api/tokens', { type: 'application/json', bytes: 2 * MEBIBYTE }, true],
    'that is too large for a webhook': [413, VOICE, { type: 'application/json', bytes: 2 * MEBIBYTE }, false],
    'at an unknown address': [404, '/api/nothing', { bytes: 20 }, true],
  };
  for (const [what, [status, target, sent, known]] of Object.entries(refused))
    test(`is never asked for if it is refused: one ${what}`, async (context) => {
      const { authorization } = (await stage.connected()).headers;
      const address = target.startsWith('/') ? target : stage.proxied(target);
      const answer = await announce(context, address, known ? { ...sent, authorization } : sent).hearRefusal();
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(stage.api.received.length, 0);
    });
});
