import { DatabaseUnavailable, Deadlocked, DiskFull, UniqueViolation } from '../database.ts';

/** Classes of SQLSTATE: connection lost, out of resources, ended by the operator, system error. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
/**
 * SQLSTATEs: a read-only standby (during a failover), a transaction that was idle for too long, a serialization
 * failure.
 */
const UNAVAILABLE_CODES = new Set(['25006', '25P03', '40001']);
const NETWORK = /^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND)|^EAI_/;
/** Messages of errors for which `pg` has no code. */
const UNCODED =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|query read timeout/i;

const isUnavailable = (code: string, message: string): boolean =>
  UNAVAILABLE_CLASSES.has(code.slice(0, 2)) ||
  UNAVAILABLE_CODES.has(code) ||
  NETWORK.test(code) ||
  (code === '' && UNCODED.test(message));

export const translatePostgresqlError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '23505') return new UniqueViolation('A unique index already holds this value.');
  if (code === '53100') return new DiskFull();
  if (code === '40P01') return new Deadlocked('PostgreSQL has ended a transaction that waited for another (40P01).');
  if (isUnavailable(code, error.message))
    return new DatabaseUnavailable(`PostgreSQL is unavailable (${code || 'connection lost'}).`);
  return error;
};
