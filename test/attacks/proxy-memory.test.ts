import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;
const PIECES = 256;

/** Counts how often the young generation was collected because we wanted it. */
const watchCollections = () => {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind, flags } = (entry as unknown as { detail: { kind: number; flags: number } }).detail;
      const isWanted = (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
      if (kind === constants.NODE_PERFORMANCE_GC_MINOR && isWanted) count++;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return { count: () => count, stop: () => observer.disconnect() };
};

describe('the buffers of a large response', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  test('are freed while it is passed on, and not once there are many', async () => {
    const { headers } = await stage.connected();
    const piece = Buffer.alloc(MEBIBYTE);
    stage.api.answer(async (request, response) => {
      request.resume();
      for (let sent = 0; sent < PIECES; sent++) if (!response.write(piece)) await once(response, 'drain');
      response.end();
    });
    const collections = watchCollections();
    const sent = stage.begin(stage.proxied('large'), { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let received = 0;
    for await (const part of response) received += part.length;
    assert.equal(received, PIECES * MEBIBYTE);
    // One for every 16 MiB, but the observer doesn't see all of them.
    await waitUntil('the observer has seen some', () => collections.count() >= PIECES / 64);
    collections.stop();
  });
});
