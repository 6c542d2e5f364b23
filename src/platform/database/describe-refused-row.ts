import { UniqueViolation } from './database.ts';
import { RowRefused } from './loader.ts';

/** Of PostgreSQL: values that don't fit, and constraints. */
const REFUSED_CLASSES = new Set(['22', '23']);
/** Of SQLite: a constraint, or a value of another type. */
const REFUSED_CODES = new Set([19, 20]);
/** Of Node: an integer in SQLite that no number can hold. */
const TOO_LARGE = 'ERR_OUT_OF_RANGE';

const isRefusal = (error: Error & { code?: unknown; errcode?: unknown }): boolean =>
  error instanceof RowRefused ||
  error instanceof UniqueViolation ||
  error.code === TOO_LARGE ||
  (typeof error.code === 'string' && error.code.length === 5 && REFUSED_CLASSES.has(error.code.slice(0, 2))) ||
  (typeof error.errcode === 'number' && REFUSED_CODES.has(error.errcode & 0xff));

/** What the engines say may end with the value. */
const withoutValue = (message: string): string => message.replace(/: ["\d].*$/s, '').replace(/\.$/, '');

/**
 * Why the database doesn't take or return a row, without what is in it. The error itself shows the whole row if nobody
 * catches it. Null if it's about something else.
 */
export const describeRefusedRow = (error: unknown): string | null =>
  error instanceof Error && isRefusal(error) ? withoutValue(error.message) : null;
