import type { ScannedRow, Transaction } from './database.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Fills a new database in one transaction. Until `commit`, nobody sees anything of it. If the process ends before that,
 * what is left refuses to be used as a database, and the next loader replaces it.
 */
export type Loader = Snapshot & {
  readonly tx: Transaction;
  /** Removes indexes and foreign keys, so that adding rows is quick. Returns how to put them back. */
  dropIndexes(): Promise<() => Promise<void>>;
  /** Values in the order of the columns. */
  insert(table: string, columns: readonly string[], rows: readonly ScannedRow[]): Promise<void>;
  /** When this resolves, all of it is there and on disk. */
  commit(): Promise<void>;
};

/** There already is something in the database, or someone else is filling it. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

/** A row can't be there as it is. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused';
}
