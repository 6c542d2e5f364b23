import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as Listener, type ListenOptions } from 'node:net';
import type { Server } from '../contract/routes.ts';

const SOCKETS = 16;

const listen = async (listener: Listener, options: ListenOptions): Promise<Listener> => {
  listener.listen(options);
  await once(listener, 'listening');
  return listener;
};

const close = async (listener: Listener): Promise<void> => {
  listener.close();
  await once(listener, 'close');
};

/**
 * libuv accepts one connection per listening socket and turn of the event loop. While turns are long, whoever connects
 * anew would wait behind everyone who is connected already: twenty callers, twenty turns. Several sockets on one port are
 * accepted from in the same turn.
 *
 * The returned function stops listening, and resolves once all connections accepted here have ended.
 */
export const listenWidely = async (
  server: Server,
  address: { host: string; port: number },
): Promise<() => Promise<void>> => {
  if (process.platform !== 'linux') {
    await server.listen(address);
    return async () => undefined;
  }
  // Sockets that share a port don't notice other processes doing the same. One that doesn't share is told.
  await close(await listen(createServer(), address));
  // Fastify hands on what it doesn't know.
  const shared = { ...address, reusePort: true };
  await server.listen(shared);
  const { port } = server.server.address() as AddressInfo;
  // As `node:http` accepts them.
  const options = { allowHalfOpen: true, noDelay: true };
  const listeners = await Promise.all(
    Array.from({ length: SOCKETS - 1 }, () => {
      const listener = createServer(options, (socket) => server.server.emit('connection', socket));
      return listen(listener, { ...shared, port });
    }),
  );
  return async () => void (await Promise.all(listeners.map(close)));
};
