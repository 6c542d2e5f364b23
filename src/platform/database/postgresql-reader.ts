import pg from 'pg';
import type { Database } from './database.ts';
import { connectionOptions, type PostgresqlOptions } from './postgresql-connection.ts';
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
    connectionTimeoutMillis: scanTimeoutMs,
    max: READERS,
    idleTimeoutMillis: 30_000,
    onConnect: async (client) => void (await client.query('set default_transaction_read_only = on')),
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  const ask = createAsk();
  const asked = { query: ((query: pg.QueryConfig) => pool.query(query)) as pg.ClientBase['query'] };

  return {
    scan: async (text, values) => (await ask(asked, text, values, { rowMode: 'array' })).rows,
    close: () => pool.end(),
  };
};
