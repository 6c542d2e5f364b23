import type { Engine, ScannedRow } from './database.ts';

/** The whole database as it was at one moment, no matter what others write meanwhile and how long it takes to read. */
export type Snapshot = {
  readonly engine: Engine;
  /** Any number of rows, some at a time. One read at a time. */
  read<Row extends ScannedRow>(text: string): AsyncIterable<Row[]>;
  close(): Promise<void>;
};

/** How many rows are read at a time, at most. */
export const SNAPSHOT_PIECE = 1_000;

/**
 * Of all texts in a piece, about. A row is as large as a webhook can make it, and is in memory several times: with pieces
 * of 1,000 such rows, a backup took 2 GB.
 */
export const PIECE_CHARACTERS = 8_000_000;

export const charactersIn = (row: ScannedRow): number => {
  let characters = 0;
  for (const value of row) if (typeof value === 'string') characters += value.length;
  return characters;
};
