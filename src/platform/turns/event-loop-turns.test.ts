import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { giveWay } from './event-loop-turns.ts';

test('a request that arrives during the work is handled before the work continues', async () => {
  const order: string[] = [];
  const done = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    asker.write('question');
    await giveWay();
    order.push('work');
    done.resolve();
  };
  const hear = (data: Buffer): void => {
    if (data.toString() === 'message') void work();
    else order.push(data.toString());
  };
  const server = createServer((socket) => socket.on('data', hear)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asker = connect(port, '127.0.0.1');
  asker.write('hello');
  const bringer = connect(port, '127.0.0.1');
  bringer.write('message');
  await done.promise;
  assert.deepEqual(order, ['hello', 'question', 'work']);
  asker.destroy();
  bringer.destroy();
  server.close();
});
