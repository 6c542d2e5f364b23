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

/** Nobody writes until it's released: commands work beside everything else, and what they wrote would be left behind. */
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
 * A read transaction on a connection of its own. Writers don't wait for it: they only append to the log. Reading blocks the
 * event loop, so it's for a process that does nothing else.
 */
export const openSqliteSnapshot = async (path: string): Promise<Snapshot> => {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  try {
    // Without the first read, the snapshot would only begin with the next one.
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
