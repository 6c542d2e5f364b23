import { DatabaseSync } from 'node:sqlite';
import type { ScannedRow } from '../database.ts';
import { charactersIn, PIECE_CHARACTERS, SNAPSHOT_PIECE, type Snapshot } from '../snapshot.ts';
import { translateSqliteError } from './sqlite-statements.ts';

export async function* readPieces<Row extends ScannedRow>(
  connection: DatabaseSync,
  text: string,
): AsyncIterable<Row[]> {
  const statement = connection.prepare(text);
  statement.setReturnArrays(true);
  let piece: Row[] = [];
  let characters = 0;
  for (const values of statement.iterate()) {
    const row = values as unknown as Row;
    piece.push(row);
    characters += charactersIn(row);
    if (piece.length < SNAPSHOT_PIECE && characters < PIECE_CHARACTERS) continue;
    yield piece;
    piece = [];
    characters = 0;
  }
  if (piece.length > 0) yield piece;
}

/**
 * Blocks all writes until `release`. Commands can write while the service is stopped, and a move would miss those rows.
 */
export const holdSqliteWrites = (path: string): { release(): void } => {
  const connection = new DatabaseSync(path, { timeout: 5_000 });
  try {
    connection.exec('begin immediate');
  } catch (error) {
    connection.close();
    throw translateSqliteError(error);
  }
  return { release: () => connection.close() };
};

/**
 * Opens a read transaction on a separate connection. Writers don't wait for it, because they only append to the log.
 * Reading blocks the event loop, so this is for a process that does nothing else.
 */
export const openSqliteSnapshot = async (path: string): Promise<Snapshot> => {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  try {
    // A read transaction only begins with its first read.
    connection.exec('begin; select count(*) from sqlite_schema');
  } catch (error) {
    connection.close();
    throw translateSqliteError(error);
  }
  return {
    engine: 'sqlite',
    read: (text) => readPieces(connection, text),
    close: async () => connection.close(),
  };
};
