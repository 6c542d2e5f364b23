import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectFailure, SOMEWHERE_PUBLIC, startTestInternet } from '../../../test/harness/test-internet.ts';
import { createForwarder } from './forwarder.ts';

const SOMEWHERE_ELSE = '93.184.215.15';

describe('a connection that is kept for the next request', () => {
  test('is used only while its host has the addresses that were checked', async (context) => {
    let addresses = [SOMEWHERE_PUBLIC];
    let passedMs = 0;
    const now = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => now() + passedMs);
    const internet = await startTestInternet((_request, response) => response.end('ok'), {
      resolve: async () => addresses,
    });
    const forwarder = createForwarder(internet.network);
    context.after(async () => {
      await forwarder.close();
      await internet.close();
    });
    const send = () =>
      forwarder.forward({
        ...{ owner: 'team', method: 'GET', origin: new URL('https://provider.test'), path: '/', headers: [] },
        ...{ body: null, trusted: false, signal: new AbortController().signal },
      });
    /** Moves time on, so that addresses are looked up again. */
    const later = () => {
      passedMs += 11_000;
    };

    await send();
    addresses = [SOMEWHERE_ELSE];
    later();
    await send();
    assert.deepEqual(
      internet.dialled.map((dial) => dial.addresses),
      [[SOMEWHERE_PUBLIC], [SOMEWHERE_ELSE]],
    );
    addresses = ['127.0.0.1'];
    later();
    await expectFailure(send(), 'refused_address');
    assert.equal(internet.asked.length, 2);
  });

  test('is never used for another team', async (context) => {
    const internet = await startTestInternet((_request, response) => response.end('ok'));
    const forwarder = createForwarder(internet.network);
    context.after(async () => {
      await forwarder.close();
      await internet.close();
    });
    for (const owner of ['one', 'one', 'another']) {
      await forwarder.forward({
        ...{ owner, method: 'GET', origin: new URL('https://provider.test'), path: '/', headers: [] },
        ...{ body: null, trusted: false, signal: new AbortController().signal },
      });
      // Wait for the turn in which the connection becomes free again.
      await nextTurn();
    }
    assert.deepEqual([internet.asked.length, internet.dialled.length], [3, 2]);
  });

  test('to an address that only the operator may use is used for nobody else', async (context) => {
    const internet = await startTestInternet((_request, response) => response.end('ok'), {
      resolve: async () => ['127.0.0.1'],
    });
    const forwarder = createForwarder(internet.network);
    context.after(async () => {
      await forwarder.close();
      await internet.close();
    });
    const send = (trusted: boolean) =>
      forwarder.forward({
        ...{ owner: 'team', method: 'GET', origin: new URL('https://provider.test'), path: '/', headers: [] },
        ...{ body: null, trusted, signal: new AbortController().signal },
      });
    assert.equal((await send(true)).status, 200);
    await expectFailure(send(false), 'refused_address');
    assert.equal(internet.asked.length, 1);
  });
});
