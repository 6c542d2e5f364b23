import pg from 'pg';
import { createSlots } from '../../running/slots.ts';
import { type Database, DatabaseUnavailable, type ScannedRow, type Value } from '../database.ts';
import { connectionOptions, type PostgresqlOptions } from './postgresql-options.ts';
import { createAsk } from './postgresql-statements.ts';

/** So many long reads at once; others wait for their turn. */
const READERS = 2;

/**
 * Long reads on connections of their own, which cannot write: however many there are, requests have theirs. What a
 * read may and how long it may take is said once for each connection, so that a read is one trip.
 */
export const createPostgresqlReader = (
  { url, scanTimeoutMs }: PostgresqlOptions,
  onError: (error: Error) => void,
): Pick<Database, 'scan' | 'close'> => {
  const pool = new pg.Pool({
    ...connectionOptions({ url, statementTimeoutMs: scanTimeoutMs }),
    max: READERS,
    idleTimeoutMillis: 30_000,
    onConnect: async (client) => void (await client.query('set default_transaction_read_only = on')),
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const reading = new Set<pg.PoolClient>();
  const hangUp = (client: pg.PoolClient): void => {
    (client as unknown as pg.Client).end().catch(() => undefined);
  };
  // A connection may come only when the pool is already closing.
  pool.on('acquire', (client) => (pool.ending ? hangUp(client) : reading.add(client)));
  pool.on('release', (_, client) => reading.delete(client));
  const ask = createAsk();
  const asked = { query: ((query: pg.QueryConfig) => pool.query(query)) as pg.ClientBase['query'] };
  // Not left to the pool, for which waiting for a turn and waiting for the server are one.
  const turns = createSlots(READERS);
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => undefined);

  const scan: Database['scan'] = async (text, values) => {
    const release = await turns.take('long reads');
    try {
      return (await ask(asked, text, values, { rowMode: 'array' })).rows;
    } finally {
      release();
    }
  };

  return {
    scan: <Row extends ScannedRow>(text: string, values: readonly Value[]) =>
      Promise.race([scan<Row>(text, values), closing.promise]),
    /** Nobody waits for what is being read: the server ends it once it sees that we are gone. */
    async close(): Promise<void> {
      closing.reject(new DatabaseUnavailable('The database is closing.'));
      for (const client of reading) hangUp(client);
      await pool.end();
    },
  };
};
