import pg from 'pg';
import { readPostgresqlAddress } from './postgresql-address.ts';
import { createPrimaryClient } from './primary-client.ts';

const INT8 = 20;

const toSafeInteger = (text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('A bigint is too large for a number.');
  return number;
};

/** Parses bigint as a number, for our connections only. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== 'binary' ? toSafeInteger : pg.types.getTypeParser(oid, format),
};

export const CONNECT_TIMEOUT_MS = 5_000;

export type PostgresqlOptions = { url: string; poolSize: number; statementTimeoutMs: number; scanTimeoutMs: number };

/** Returns what `pg` needs to connect. With several servers, its client finds the one that accepts writes. */
export const reachPostgresql = (url: string): { connectionString: string; Client: typeof pg.Client } => {
  const address = readPostgresqlAddress(url);
  if (!address) throw new TypeError('This is not the address of a PostgreSQL database.');
  return {
    connectionString: address.url,
    Client: address.hosts ? createPrimaryClient(address.hosts) : pg.Client,
  };
};

/** The settings of every connection. Each kind of wait has a time limit, so that nothing waits forever. */
export const connectionOptions = ({
  url,
  statementTimeoutMs,
}: Pick<PostgresqlOptions, 'url' | 'statementTimeoutMs'>) => ({
  ...reachPostgresql(url),
  application_name: 'patchbay',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  statement_timeout: statementTimeoutMs,
  query_timeout: statementTimeoutMs + 2_000,
  idle_in_transaction_session_timeout: 15_000,
  keepAlive: true,
  types,
});

export type ConnectionOptions = ReturnType<typeof connectionOptions>;
