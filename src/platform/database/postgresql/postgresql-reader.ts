import pg from 'pg';
import { currentWork, stopIfAbandoned } from '../../turns/owner.ts';
import { createTurns } from '../../turns/turns.ts';
import { type Database, DatabaseUnavailable, type ScannedRow, type Value } from '../database.ts';
import { connectionOptions, type PostgresqlOptions } from './postgresql-options.ts';
import { createAsk } from './postgresql-statements.ts';

/** How many long reads run at once. Each team has only one at a time, and teams take turns. */
const READERS = 2;

/** Makes the server end a read whose client has disconnected. By default, it notices only when it has rows to send. */
const END_WHEN_ALONE = "set client_connection_check_interval = '1s'";

const isClosing = () => new DatabaseUnavailable('The database is closing.');

/**
 * Runs long reads on separate, read-only connections, so that they never take the connections of requests. The limits
 * are set once per connection, so that a read needs only one round trip.
 */
export const createPostgresqlReader = (
  { url, scanTimeoutMs }: PostgresqlOptions,
  onError: (error: Error) => void,
): Pick<Database, 'scan' | 'close'> => {
  const pool = new pg.Pool({
    ...connectionOptions({ url, statementTimeoutMs: scanTimeoutMs }),
    max: READERS,
    idleTimeoutMillis: 30_000,
    onConnect: async (client) => {
      await client.query('set default_transaction_read_only = on');
      // This setting doesn't exist before PostgreSQL 14, or on servers that don't run on Linux, macOS, or a BSD.
      await client.query(END_WHEN_ALONE).catch(() => undefined);
    },
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const reading = new Set<pg.PoolClient>();
  const hangUp = (client: pg.PoolClient): void => {
    (client as unknown as pg.Client).end().catch(() => undefined);
  };
  // Close a connection that was established after the pool had begun to close.
  pool.on('acquire', (client) => (pool.ending ? hangUp(client) : reading.add(client)));
  pool.on('release', (_, client) => reading.delete(client));
  const ask = createAsk();
  const asked = { query: ((query: pg.QueryConfig) => pool.query(query)) as pg.ClientBase['query'] };
  // Queue here and not in the pool, whose time limit for connecting would include the wait in the queue.
  const turns = createTurns({ atOnce: READERS, perOwner: 1 });
  /** Ends the reads in progress. A race with one lasting promise would keep the rows of every read in memory. */
  const unfinished = new Set<(error: Error) => void>();

  const read: Database['scan'] = (text, values) =>
    turns.run(currentWork(), async () => {
      stopIfAbandoned();
      return (await ask(asked, text, values, { rowMode: 'array' })).rows;
    });

  return {
    scan: <Row extends ScannedRow>(text: string, values: readonly Value[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
      unfinished.add(reject);
      if (pool.ending) reject(isClosing());
      else read<Row>(text, values).then(resolve, reject);
      return promise.finally(() => unfinished.delete(reject));
    },
    /** Doesn't wait for reads in progress. The server ends them a second later. */
    async close(): Promise<void> {
      for (const end of unfinished) end(isClosing());
      for (const client of reading) hangUp(client);
      await pool.end();
    },
  };
};
