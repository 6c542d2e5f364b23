import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createDatabaseAt, databaseUrl, TEMPLATE } from './databases.ts';

/**
 * A separate, migrated PostgreSQL database behind a link that can be cut (connections break and none are accepted), go
 * silent (connections stay and are accepted, but nothing passes), and come back at the same address.
 */
export const openDatabaseLink = async (context: TestContext) => {
  const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
  const name = `telephony_${randomBytes(8).toString('hex')}`;
  await createDatabaseAt(server, name, TEMPLATE);
  const target = { host: '127.0.0.1', port: Number(new URL(server).port) };
  const sockets = new Set<Socket>();
  let silent = false;

  const carry = (near: Socket): void => {
    const far = connect(target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk) => to.write(chunk));
      from.on('end', () => to.end());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (silent) from.pause();
    }
  };

  let listener: Server;
  const listen = async (port: number): Promise<number> => {
    listener = createServer(carry).listen(port, '127.0.0.1');
    await once(listener, 'listening');
    return (listener.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const cut = async (): Promise<void> => {
    if (!listener.listening) return;
    const closed = once(listener, 'close');
    listener.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  context.after(cut);

  const direct = databaseUrl(server, name);
  return {
    /** Bypasses the link, for assertions. */
    direct,
    url: Object.assign(new URL(direct), { port: String(port) }).href,
    cut,
    hang(): void {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    /** What was waiting passes, and new connections are let through. */
    async restore(): Promise<void> {
      silent = false;
      for (const socket of sockets) socket.resume();
      if (!listener.listening) await listen(port);
    },
  };
};

export type DatabaseLink = Awaited<ReturnType<typeof openDatabaseLink>>;
