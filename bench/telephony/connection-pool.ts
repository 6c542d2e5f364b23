import { type Connection, openConnection } from './connection.ts';

/**
 * Connections that are each used by one request at a time. If none is free, a request opens another one, or waits if
 * there are `most` already.
 */
export const createConnectionPool = (url: string, most: number) => {
  const idle: Connection[] = [];
  const waiting: ((connection: Promise<Connection>) => void)[] = [];
  let open = 0;

  const openOne = async (): Promise<Connection> => {
    open++;
    try {
      return await openConnection(url);
    } catch (error) {
      open--;
      throw error;
    }
  };

  const take = (): Promise<Connection> => {
    for (let free = idle.pop(); free; free = idle.pop()) {
      if (free.isOpen()) return Promise.resolve(free);
      // The server has closed this connection, because it was idle for too long.
      open--;
    }
    if (open < most) return openOne();
    return new Promise((resolve) => waiting.push(resolve));
  };

  const giveBack = (connection: Connection): void => {
    const next = waiting.shift();
    if (next) next(Promise.resolve(connection));
    else idle.push(connection);
  };

  /** Closes a connection that can no longer be used. If a request is waiting, it gets a new connection. */
  const drop = (connection: Connection): void => {
    connection.close();
    open--;
    waiting.shift()?.(openOne());
  };

  return {
    /** Opens all connections now, so that no request has to wait for that. */
    async fill(): Promise<void> {
      idle.push(...(await Promise.all(Array.from({ length: most - open }, openOne))));
    },
    async exchange(request: Buffer): Promise<number> {
      const connection = await take();
      try {
        const status = await connection.exchange(request);
        giveBack(connection);
        return status;
      } catch (error) {
        drop(connection);
        throw error;
      }
    },
    close(): void {
      for (const connection of idle.splice(0)) connection.close();
    },
  };
};

export type ConnectionPool = ReturnType<typeof createConnectionPool>;
