import pg from 'pg';

const INT8 = 20;

const toSafeInteger = (text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('A bigint is too large for a number.');
  return number;
};

/** bigint as a number, for this pool only. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== 'binary' ? toSafeInteger : pg.types.getTypeParser(oid, format),
};

/** How long to wait for a connection. */
export const CONNECT_TIMEOUT_MS = 5_000;

export type PostgresqlOptions = { url: string; poolSize: number; statementTimeoutMs: number; scanTimeoutMs: number };

/** The settings of every connection: nothing may wait forever. */
export const connectionOptions = ({
  url,
  statementTimeoutMs,
}: Pick<PostgresqlOptions, 'url' | 'statementTimeoutMs'>): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'patchbay',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  statement_timeout: statementTimeoutMs,
  query_timeout: statementTimeoutMs + 2_000,
  idle_in_transaction_session_timeout: 15_000,
  keepAlive: true,
  types,
});
