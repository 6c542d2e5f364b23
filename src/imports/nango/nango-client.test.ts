import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createTestClock } from '../../../test/harness/app.ts';
import { startNangoServer } from '../../../test/harness/nango-server.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { createOutbound, Secret } from '../../platform/index.ts';
import { createNangoClient } from './nango-client.ts';

describe('reading from Nango', () => {
  const nango = useStage(() => startNangoServer());
  const outbound = createOutbound({ allowPrivate: true });
  afterEach(() => nango.reset());

  const add = (connectionId: string): void => nango.add({ connectionId, integration: 'acme', credentials: {} });

  const waits: number[] = [];
  const createClient = () =>
    createNangoClient(
      { outbound, clock: createTestClock(), wait: async (ms) => void waits.push(ms) },
      { host: nango.host, key: new Secret(nango.key) },
    );

  /** The IDs of all connections that are listed. `onPage` is called before the next page is requested. */
  const list = async (onPage: (page: number) => void = () => undefined): Promise<string[]> => {
    const listed: string[] = [];
    let page = 0;
    for await (const connections of createClient().listConnections()) {
      listed.push(...connections.map(({ connection_id }) => connection_id));
      onPage(page++);
    }
    return listed.sort();
  };

  test('goes on to the last page if connections are added meanwhile, and lists none twice', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `c${index}`);
    ids.forEach(add);
    assert.deepEqual(await list((page) => add(`added-${page}`)), ids.sort());
    assert.equal(nango.requests.length, 3);
  });

  test('goes on after a page that is exactly full', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `c${index}`);
    ids.forEach(add);
    assert.deepEqual(await list(), ids.sort());
  });

  test('ends if every page is the same', async () => {
    const names = { provider: 'acme', provider_config_key: 'acme', created: '2026-01-01T00:00:00.000Z' };
    const connections = Array.from({ length: 100 }, (_, id) => ({ id, connection_id: `c${id}`, ...names }));
    nango.rules.broken = (response) => void response.end(JSON.stringify({ connections }));
    assert.equal((await list()).length, 100);
    assert.equal(nango.requests.length, 2);
  });

  test('waits two minutes at most, even if Nango asks for more', async () => {
    Object.assign(nango.rules, { tooMany: 1, retryAfterSeconds: 7_200 });
    assert.deepEqual(await list(), []);
    assert.deepEqual(waits, [120_000]);
  });
});
