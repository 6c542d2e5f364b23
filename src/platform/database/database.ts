import type { Applied } from './migration-state.ts';
import type { RowTable } from './row-table.ts';

/**
 * One small interface over two engines, and one SQL text for both: the portable subset (`$1` parameters, text IDs,
 * bigint milliseconds, `on conflict`, `returning`, `for update`). What differs between the engines lives beside this
 * file and nowhere else. docs/decisions/003-one-sql-text.md lists the subset.
 */
export type Engine = 'sqlite' | 'postgresql';

/** A value that a statement's parameter can have. `undefined` is refused: one engine throws, the other binds NULL. */
export type Value = string | number | boolean | null | Uint8Array;

/** A row from `scan`: its values in the order of the columns, because arrays are the fastest to create and to read. */
export type ScannedRow = readonly (string | number | null)[];

export type Queries = {
  get<Row extends object>(text: string, values?: readonly Value[]): Promise<Row | undefined>;
  all<Row extends object>(text: string, values?: readonly Value[]): Promise<Row[]>;
  /** Returns the number of rows that changed. */
  run(text: string, values?: readonly Value[]): Promise<number>;
  /** One statement for many rows. See `RowTable`. */
  allFrom<Row extends object>(table: RowTable, text: string): Promise<Row[]>;
  /** Like `allFrom`, but returns the number of rows that changed. */
  runFrom(table: RowTable, text: string): Promise<number>;
};

export type Transaction = Queries & {
  readonly engine: Engine;
  /** Runs several statements without parameters. For migrations. */
  script(text: string): Promise<void>;
  /** Runs `effect` once the transaction has committed, and never if it rolls back. */
  afterCommit(effect: () => void): void;
};

export type Database = Queries & {
  readonly engine: Engine;
  /** Commits when `work` resolves and rolls back when it rejects. Within `work`, use only the transaction. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** Runs a long read. It blocks neither the event loop nor other reads, and fails after `scanTimeoutMs`. */
  scan<Row extends ScannedRow>(text: string, values: readonly Value[]): Promise<Row[]>;
  /** Inserts rows with a single commit. See `createGroupWriter`. */
  insertRows(into: InsertTarget, rows: readonly InsertRow[]): Promise<InsertOutcome[]>;
  /** Diagnoses over a separate connection, which works even if all others are in use. */
  diagnose(timeoutMs: number): Promise<Diagnosis>;
  close(): Promise<void>;
};

/** The table that `insertRows` inserts into: its columns with their types, and what to do if a key already exists. */
export type InsertTarget = {
  table: string;
  columns: Readonly<Record<string, 'text' | 'bigint' | 'bytea'>>;
  /** The text column that tells rows apart in the result: unique, and never null. */
  id: string;
  onConflict: 'fail' | 'skip';
};

export type InsertRow = readonly Value[];

/** The result for one row. A bad row never fails the others. */
export type InsertOutcome = 'inserted' | 'skipped' | Error;

export type Diagnosis = {
  version: string;
  roundTripMs: number;
  clockSkewMs: number;
  sizeBytes: number | null;
  integrity: 'ok' | 'damaged' | 'unchecked';
  tables: { name: string; rows: number | null; bytes: number | null }[];
  pool: { size: number; idle: number; waiting: number } | null;
  migrations: Applied[];
};

/** The database can't be reached, is full, or doesn't respond in time. The request can be retried later. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** This transaction and another one waited for each other, so the database has ended this one. */
export class Deadlocked extends DatabaseUnavailable {
  override readonly name = 'Deadlocked';
}

/** The disk is full. The database can be read, but not written to. */
export class DiskFull extends DatabaseUnavailable {
  override readonly name = 'DiskFull';

  constructor() {
    super('The disk is full, so nothing can be written.');
  }
}

/** A unique index already holds this value. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
}

export const findUndefined = (values: readonly Value[]): TypeError | undefined =>
  values.includes(undefined as never)
    ? new TypeError('A statement was given an undefined value. Bind null instead.')
    : undefined;

export const refuseUndefined = (values: readonly Value[]): void => {
  const flaw = findUndefined(values);
  if (flaw) throw flaw;
};
