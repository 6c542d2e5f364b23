import { type Connection, openConnection } from './connection.ts';

/**
 * Connections that are used by one request at a time. A request that finds none free waits if the limit is reached, and
 * opens another one otherwise.
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
      // It was idle for so long that the server closed it.
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

  /** It can no longer be used. Anyone waiting gets a new one. */
  const drop = (connection: Connection): void => {
    connection.close();
    open--;
    waiting.shift()?.(openOne());
  };

  return {
    /** Opens all of them, so that no request pays for it. */
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
