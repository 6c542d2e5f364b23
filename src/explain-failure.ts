import { ConfigRefused } from './config/index.ts';
import {
  CommandRefused,
  DatabaseUnavailable,
  MigrationRefused,
  OutboundFailed,
  Refusal,
  UsageRefused,
} from './platform/index.ts';
import { StorageFailed } from './telephony/index.ts';
import { RingIncomplete } from './vault/index.ts';

const BAD_REQUEST = 400;
const DISK_FULL = 'The disk is full. Free up some space for the data directory.';

const BY_CODE: Record<string, string> = {
  EADDRNOTAVAIL: 'HOST must be an address of this machine.',
  ENOTFOUND: 'HOST could not be resolved. Use an address of this machine.',
  ENOSPC: DISK_FULL,
  '3D000': 'The database in DATABASE_URL (or in --to) does not exist. Create it first.',
  '28P01': 'PostgreSQL rejected the password in DATABASE_URL (or in --to).',
  '28000': 'PostgreSQL rejected the user in DATABASE_URL (or in --to).',
  '42501': 'The role in DATABASE_URL is not allowed to create tables. Grant it "create" on its schema.',
};

/** Explains an error code from the network, PostgreSQL, or the file system. Null for other errors, which are bugs. */
const explainCode = (error: unknown): string | null => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const known = BY_CODE[error.code];
  if (known) return known;
  if (error.code === 'EADDRINUSE' && 'port' in error)
    return `Port ${error.port} is already in use. Stop the program that is using it, or set PORT to another one.`;
  if (error.code === 'ERR_SQLITE_ERROR')
    return error.message === 'database or disk is full'
      ? DISK_FULL
      : `A file in the data directory cannot be used (${error.message}). Check PATCHBAY_DATA and its permissions.`;
  return 'syscall' in error && 'path' in error ? `${error.message}. Check PATCHBAY_DATA and its permissions.` : null;
};

/**
 * Returns the lines to print and the exit code: 2 for wrong arguments or settings, 1 for other expected failures. Null
 * for a bug.
 */
export const explainFailure = (error: unknown): { lines: readonly string[]; exitCode: number } | null => {
  if (error instanceof ConfigRefused) return { lines: error.lines, exitCode: 2 };
  if (error instanceof UsageRefused) return { lines: [error.message], exitCode: 2 };
  if (error instanceof Refusal)
    return {
      lines: [error.message, ...(error.errors ?? []).map(({ path, message }) => `${path}: ${message}`)],
      exitCode: error.status === BAD_REQUEST ? 2 : 1,
    };
  // In a command, this is usually a failure of the bucket.
  if (error instanceof OutboundFailed || error instanceof StorageFailed)
    return { lines: [`${error.message} Check its settings and whether it's reachable, and try again.`], exitCode: 1 };
  const expected = [CommandRefused, MigrationRefused, RingIncomplete, DatabaseUnavailable];
  if (error instanceof Error && expected.some((kind) => error instanceof kind))
    return { lines: [error.message], exitCode: 1 };
  const line = explainCode(error);
  return line === null ? null : { lines: [line], exitCode: 1 };
};
