import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { createPlaces } from '../../src/integrations/proxy/places.ts';
import { useStage } from '../harness/use-stage.ts';

/** Hands out responses whose callers are there, or have left. */
const openDesk = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    async arrive() {
      const arrived = once(server, 'request');
      const sent = request({ host: '127.0.0.1', port, agent: false }).on('error', () => undefined);
      sent.end();
      const [, response] = (await arrived) as [unknown, ServerResponse];
      const leave = async (): Promise<void> => {
        const left = once(response, 'close');
        sent.destroy();
        await left;
      };
      return { response, leave };
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const FULL = { code: 'proxy.too_many' };

describe('places at providers', () => {
  const desk = useStage(openDesk);
  const one = { teamId: 'a', userId: 'a1', body: null };
  const create = (changes = {}) => createPlaces({ inTotal: 8, uploadsPerCaller: 1, ...changes });

  test('are not taken by callers who left before their request began', async () => {
    const places = create();
    for (let count = 0; count < 5; count++) {
      const { response, leave } = await desk.arrive();
      await leave();
      assert.throws(() => places.take(response, one), { code: 'http.caller_gone' });
    }
    const { response } = await desk.arrive();
    assert.equal(places.take(response, one).aborted, false);
  });

  test('are given back when a request is over, however it ends', async () => {
    const places = create();
    for (let count = 0; count < 5; count++) {
      const gone = await desk.arrive();
      const signal = places.take(gone.response, one);
      await gone.leave();
      assert.ok(signal.aborted);
      const { response } = await desk.arrive();
      const through = places.take(response, one);
      response.end();
      await once(response, 'close');
      assert.ok(!through.aborted);
    }
  });

  /** How many a team gets if it takes whatever it can, and holds it. */
  const takeAll = async (places: ReturnType<typeof create>, teamId: string): Promise<number> => {
    for (let count = 0; ; count++) {
      const { response } = await desk.arrive();
      try {
        places.take(response, { ...one, teamId });
      } catch (error) {
        assert.equal((error as { code?: string }).code, FULL.code);
        return count;
      }
    }
  };

  test('are limited for each team, and in total', async () => {
    const places = create();
    assert.deepEqual([await takeAll(places, 'a'), await takeAll(places, 'a')], [2, 0]);
    const others = [];
    for (const team of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) others.push(await takeAll(places, team));
    assert.deepEqual(others, [2, 1, 1, 1, 1, 0, 0]);
  });

  test("aren't all taken by teams that take whatever they can", async () => {
    const places = create({ inTotal: 100 });
    assert.equal(await takeAll(places, 'a'), 25, 'A team alone has a quarter of them.');
    for (let team = 0; team < 10; team++) assert.ok((await takeAll(places, `greedy ${team}`)) > 0);
    const { response } = await desk.arrive();
    assert.equal(places.take(response, { ...one, teamId: 'z' }).aborted, false);
  });

  test("of a team aren't all taken by one caller's uploads", async () => {
    const places = create({ inTotal: 12 });
    const upload = async (userId: string, body: Readable | null): Promise<unknown> => {
      const { response } = await desk.arrive();
      return places.take(response, { teamId: 'a', userId, body });
    };
    const slow = new Readable({ read: () => undefined });
    await upload('a1', slow);
    await assert.rejects(upload('a1', new Readable()), FULL);
    await upload('a2', new Readable());
    slow.destroy();
    await once(slow, 'close');
    await upload('a1', new Readable());
  });
});
