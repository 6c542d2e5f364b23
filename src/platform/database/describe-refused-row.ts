import { UniqueViolation } from './database.ts';
import { RowRefused } from './loader.ts';

/** PostgreSQL's SQLSTATE classes for invalid values and violated constraints. */
const REFUSED_CLASSES = new Set(['22', '23']);
/** SQLite's result codes for a violated constraint and for a value of the wrong type. */
const REFUSED_CODES = new Set([19, 20]);
/** Node's error code for an SQLite integer that is too large for a JavaScript number. */
const TOO_LARGE = 'ERR_OUT_OF_RANGE';

const isRefusal = (error: Error & { code?: unknown; errcode?: unknown }): boolean =>
  error instanceof RowRefused ||
  error instanceof UniqueViolation ||
  error.code === TOO_LARGE ||
  (typeof error.code === 'string' && error.code.length === 5 && REFUSED_CLASSES.has(error.code.slice(0, 2))) ||
  (typeof error.errcode === 'number' && REFUSED_CODES.has(error.errcode & 0xff));

/** Removes the value that both engines may put at the end of an error message. */
const withoutValue = (message: string): string => message.replace(/: ["\d].*$/s, '').replace(/\.$/, '');

/**
 * Says why the database refused to store or return a row, without any value from the row. (The error itself can contain
 * the whole row.) Returns null if the error has another cause.
 */
export const describeRefusedRow = (error: unknown): string | null =>
  error instanceof Error && isRefusal(error) ? withoutValue(error.message) : null;
