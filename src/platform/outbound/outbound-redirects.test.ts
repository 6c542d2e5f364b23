import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  CANARY,
  expectFailure,
  SOMEWHERE_PUBLIC,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../../../test/harness/test-internet.ts';

const toStorage = { most: 1, hosts: (host: string) => host === 'storage.test' };
const anywhere = { most: 5, hosts: () => true };

describe('a redirect that may be followed', () => {
  let addresses: Record<string, string>;
  let answer: RequestListener;
  let internet: TestInternet;

  beforeEach(async () => {
    addresses = { 'inside.test': '10.0.0.8' };
    internet = await startTestInternet((request, response) => answer(request, response), {
      resolve: async (host) => [addresses[host] ?? SOMEWHERE_PUBLIC],
    });
  });

  /** No connection stays open, even if a chain was aborted. */
  afterEach(async () => {
    await internet.allClosed();
    await internet.close();
  });

  const redirectTo = (location: string, status = 302): void => {
    answer = (request, response) => {
      if (request.headers.host === 'storage.test') response.end('the recording');
      else response.writeHead(status, { location }).end();
    };
  };

  test('is followed to a listed host, and the body comes from there', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      redirectTo('https://storage.test/file', status);
      const { status: final, body } = await internet.outbound.request({ ...secretRequest, redirects: toStorage });
      assert.deepEqual([final, body.toString()], [200, 'the recording']);
    }
  });

  test('passes on neither credentials nor body, even on the same host', async () => {
    for (const next of ['https://storage.test/file', '/file']) {
      const seen: IncomingMessage[] = [];
      answer = (request, response) => {
        seen.push(request);
        if (seen.length === 1) response.writeHead(307, { location: next }).end();
        else response.end();
      };
      await internet.outbound.request({ ...secretRequest, redirects: anywhere });
      const { method, url, headers } = seen[1] ?? {};
      assert.deepEqual([method, url, headers?.['content-length']], ['GET', '/file', undefined]);
      assert.deepEqual([headers?.range, headers?.accept], ['bytes=0-', 'audio/*']);
      assert.doesNotMatch(JSON.stringify(headers), new RegExp(CANARY));
    }
  });

  test('is rejected to a host that is not listed', async () => {
    for (const location of ['https://evil.test/', '//evil.test/', 'https://storage.test.evil.test/', '/same']) {
      redirectTo(location);
      await expectFailure(internet.outbound.request({ ...secretRequest, redirects: toStorage }), 'redirect_refused');
    }
    assert.equal(internet.asked.length, 4);
  });

  test('is followed a limited number of times', async () => {
    answer = (_request, response) => response.writeHead(302, { location: '/again' }).end();
    await expectFailure(
      internet.outbound.request({ ...secretRequest, redirects: { ...anywhere, most: 3 } }),
      'redirect_refused',
    );
    assert.equal(internet.asked.length, 4);
  });

  test('is rejected from https to http, even outside production', async () => {
    redirectTo('http://storage.test/');
    for (const allowPrivate of [false, true]) {
      const { outbound, close } = await startTestInternet(answer, { allowPrivate });
      await expectFailure(outbound.request({ ...secretRequest, redirects: toStorage }), 'redirect_refused');
      await close();
    }
  });

  test('is rejected to URLs with credentials, other protocols and nonsense', async () => {
    for (const location of [`https://user:${CANARY}@storage.test/`, 'file:///etc/passwd', 'gopher://x/', 'https://']) {
      redirectTo(location);
      await expectFailure(internet.outbound.request({ ...secretRequest, redirects: anywhere }), 'bad_url');
    }
  });

  test('is rejected to a private address, by number and by name', async () => {
    for (const location of ['https://169.254.169.254/latest/meta-data/', 'https://[::1]/', 'https://inside.test/']) {
      redirectTo(location);
      await expectFailure(internet.outbound.request({ ...secretRequest, redirects: anywhere }), 'refused_address');
    }
    assert.equal(internet.dialled.length, 3);
  });

  test('keeps the trust in an operator’s address only on the same origin', async () => {
    addresses['provider.test'] = '10.0.0.7';
    const trusting = { ...secretRequest, trusted: true, redirects: anywhere };
    answer = (request, response) => {
      if (request.method === 'GET') response.end('inside');
      else response.writeHead(303, { location: '/moved' }).end();
    };
    assert.equal((await internet.outbound.request(trusting)).body.toString(), 'inside');
    redirectTo('https://inside.test/');
    await expectFailure(internet.outbound.request(trusting), 'refused_address');
  });

  test('is a plain response without a location, or with a location but no redirect status', async () => {
    for (const [status, headers] of [
      [302, {}],
      [201, { location: 'https://storage.test/' }],
    ] as const) {
      answer = (_request, response) => response.writeHead(status, headers).end('here');
      const final = await internet.outbound.request({ ...secretRequest, redirects: anywhere });
      assert.deepEqual([final.status, final.body.toString()], [status, 'here']);
    }
  });

  test('closes its connection before the next response, whatever it is still sending', async () => {
    let left: Promise<unknown>;
    answer = async (request, response) => {
      if (request.method === 'POST') {
        left = once(response, 'close');
        response.writeHead(302, { location: 'https://storage.test/' }).write('and another thing');
      } else {
        await left;
        response.end('the recording');
      }
    };
    const { body } = await internet.outbound.request({ ...secretRequest, redirects: toStorage });
    assert.equal(body.toString(), 'the recording');
  });
});
