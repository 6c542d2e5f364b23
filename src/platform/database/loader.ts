import type { ScannedRow, Transaction } from './database.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Fills a new database in one transaction, so that nobody sees its rows before `commit`. If the process ends before
 * that, the unfinished database can't be used, and the next loader replaces it.
 */
export type Loader = Snapshot & {
  readonly tx: Transaction;
  /** Drops indexes and foreign keys, so that inserting is fast. Returns a function that creates them again. */
  dropIndexes(): Promise<() => Promise<void>>;
  /** Inserts rows. Each has its values in the order of `columns`. */
  insert(table: string, columns: readonly string[], rows: readonly ScannedRow[]): Promise<void>;
  /** Resolves once all rows are on disk. */
  commit(): Promise<void>;
};

/** The database isn't empty, or another process is filling it. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

/** A row refers to a row that doesn't exist. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused';
}
