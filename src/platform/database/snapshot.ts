import type { Engine, ScannedRow } from './database.ts';

/** The whole database as it was at one moment. Later writes don't change it, however long it takes to read. */
export type Snapshot = {
  readonly engine: Engine;
  /** Reads any number of rows, in pieces. Only one read may be open at a time. */
  read<Row extends ScannedRow>(text: string): AsyncIterable<Row[]>;
  close(): Promise<void>;
};

/** How many rows are read at a time, at most. */
export const SNAPSHOT_PIECE = 1_000;

/**
 * About how many characters of text a piece has, at most. A row is as large as a webhook's sender makes it, and
 * is in memory several times: with pieces of 1,000 large rows, a backup took 2 GB.
 */
export const PIECE_CHARACTERS = 8_000_000;

export const charactersIn = (row: ScannedRow): number => {
  let characters = 0;
  for (const value of row) if (typeof value === 'string') characters += value.length;
  return characters;
};
