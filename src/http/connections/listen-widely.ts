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
 * Listens on several sockets on one port. libuv accepts only one connection per listening socket in each turn of the
 * event loop. With a single socket, the last of twenty new clients would wait for twenty turns, which may be long. With
 * several sockets, several connections are accepted in the same turn.
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
  // First, listen without sharing the port, which fails if another process uses it. Sharing it never fails.
  await close(await listen(createServer(), address));
  // Fastify passes unknown options such as `reusePort` on to Node.
  const shared = { ...address, reusePort: true };
  await server.listen(shared);
  const { port } = server.server.address() as AddressInfo;
  // The options with which `node:http` accepts connections.
  const options = { allowHalfOpen: true, noDelay: true };
  const listeners = await Promise.all(
    Array.from({ length: SOCKETS - 1 }, () => {
      const listener = createServer(options, (socket) => server.server.emit('connection', socket));
      return listen(listener, { ...shared, port });
    }),
  );
  return async () => void (await Promise.all(listeners.map(close)));
};
