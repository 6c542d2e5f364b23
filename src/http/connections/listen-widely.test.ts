import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fastify from 'fastify';
import type { Server } from '../contract/routes.ts';
import { listenWidely } from './listen-widely.ts';

const CALLERS = 32;

describe('listening widely', {
  skip: process.platform !== 'linux' && 'Only Linux shares a port among sockets.',
}, () => {
  let server: Server;
  let port: number;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    server = fastify() as Server;
    server.get('/', async () => 'here');
    stop = await listenWidely(server, { host: '127.0.0.1', port: 0 });
    port = (server.server.address() as AddressInfo).port;
  });
  afterEach(() => Promise.all([stop(), server.close()]));

  /** Opens all connections. Resolves once they are accepted, to the number of turns of the event loop that it took. */
  const connectAll = async () => {
    let accepted = 0;
    server.server.on('connection', () => accepted++);
    const callers = Array.from({ length: CALLERS }, () => connect(port, '127.0.0.1'));
    let turns = 0;
    for (; accepted < CALLERS && turns < 10_000; turns++) await nextTurn();
    assert.equal(accepted, CALLERS);
    return { turns, leave: () => callers.map((caller) => caller.destroy()) };
  };

  test('accepts many callers in a few turns of the event loop', async () => {
    const { turns, leave } = await connectAll();
    leave();
    assert.ok(turns < CALLERS / 2, `It took ${turns} turns.`);
  });

  test('answers on each of its sockets', async () => {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
        return response.text();
      }),
    );
    assert.deepEqual(new Set(answers), new Set(['here']));
  });

  test('refuses a port that someone else is listening on', async () => {
    const other = fastify() as Server;
    await assert.rejects(listenWidely(other, { host: '127.0.0.1', port }), { code: 'EADDRINUSE' });
  });

  test('stops once the connections it accepted have ended', async () => {
    const { leave } = await connectAll();
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    assert.equal(stopped, false);
    leave();
    await stopping;
    stop = async () => undefined;
  });
});
