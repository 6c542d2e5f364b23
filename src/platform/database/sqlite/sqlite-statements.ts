import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { DatabaseUnavailable, DiskFull, refuseUndefined, UniqueViolation, type Value } from '../database.ts';

const MOST_STATEMENTS = 500;

/**
 * Turns `$1` into `?1`, because `$1` is a name to SQLite. Removes row locks such as `for update`: SQLite has none and
 * needs none, because a writing transaction has the whole file to itself.
 */
const toSqlite = (text: string): string =>
  text.replace(/\$(\d+)/g, '?$1').replace(/\s+for (?:(?:no key )?update|share)(?:\s+skip locked)?\s*$/i, '');

/** Passes integers as BigInt, because Node binds JavaScript numbers as REAL. */
const toBound = (value: Value): SQLInputValue => {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
};

const BUSY = new Set([5, 6]);
const FULL = 13;
const UNIQUE = new Set([1555, 2067]);
/** Result codes: read-only, interrupted, I/O, corrupt, cannot open, not a database. */
const UNAVAILABLE = new Set([8, 9, 10, 11, 14, 26]);

const resultCodeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;

/** The low byte of a result code is its kind. The rest is detail. */
export const isBusy = (error: unknown): boolean => BUSY.has(resultCodeOf(error) & 0xff);

export const translateSqliteError = (error: unknown): unknown => {
  const code = resultCodeOf(error);
  if (UNIQUE.has(code)) return new UniqueViolation('A unique index already holds this value.');
  if ((code & 0xff) === FULL) return new DiskFull();
  if (UNAVAILABLE.has(code & 0xff) || isBusy(error))
    return new DatabaseUnavailable(`SQLite is unavailable (result code ${code}).`);
  return error;
};

/** Prepared statements of one connection, prepared once per text. */
export const createSqliteStatements = (connection: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>();

  const prepare = (text: string): StatementSync => {
    const known = prepared.get(text);
    if (known) return known;
    const statement = connection.prepare(toSqlite(text));
    if (prepared.size >= MOST_STATEMENTS) prepared.delete(prepared.keys().next().value ?? '');
    prepared.set(text, statement);
    return statement;
  };

  const bind = (values: readonly Value[]): SQLInputValue[] => {
    refuseUndefined(values);
    return values.map(toBound);
  };

  return {
    get: <Row extends object>(text: string, values: readonly Value[] = []) =>
      prepare(text).get(...bind(values)) as Row | undefined,
    all: <Row extends object>(text: string, values: readonly Value[] = []) =>
      prepare(text).all(...bind(values)) as Row[],
    /** Returns each row as an array of its values. */
    list(text: string, values: readonly Value[] = []): unknown {
      const statement = prepare(text);
      statement.setReturnArrays(true);
      try {
        return statement.all(...bind(values));
      } finally {
        statement.setReturnArrays(false);
      }
    },
    run: (text: string, values: readonly Value[] = []) => Number(prepare(text).run(...bind(values)).changes),
  };
};

export type SqliteStatements = ReturnType<typeof createSqliteStatements>;
