import type pg from 'pg';
import type { ScannedRow } from '../database.ts';
import { charactersIn, PIECE_CHARACTERS, SNAPSHOT_PIECE, type Snapshot } from '../snapshot.ts';
import { connectionOptions } from './postgresql-options.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

/** The limit for reading one piece, including a sort or a count before the first piece. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
/** How long the reader may take between two pieces, for example because a disk is slow. */
const IDLE_TIMEOUT_MS = 10 * 60_000;

const translated = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error) => {
    throw translatePostgresqlError(error);
  });

/** How many rows to read first, when their size isn't known yet. */
const FIRST_PIECE = 100;

/** How many rows to read next: as many as fit in a piece if the next rows are as large as these. */
const countForNext = (rows: readonly ScannedRow[]): number => {
  const characters = rows.reduce((sum, row) => sum + charactersIn(row), 0);
  const fitting = Math.floor((rows.length * PIECE_CHARACTERS) / Math.max(1, characters));
  return Math.min(SNAPSHOT_PIECE, Math.max(1, fitting));
};

/**
 * Reads in pieces with a cursor, within a transaction. The server prepares the next piece while the caller uses the
 * current one.
 */
export async function* readByCursor<Row extends ScannedRow>(client: pg.Client, text: string): AsyncIterable<Row[]> {
  await translated(client.query(`declare piece no scroll cursor for ${text}`));
  let wanted = FIRST_PIECE;
  const fetchPiece = (): Promise<pg.QueryResult> => {
    const fetched = translated(client.query({ text: `fetch ${wanted} from piece`, rowMode: 'array' }));
    // If the caller stops reading, nobody awaits this piece, and its error must not end the process.
    fetched.catch(() => undefined);
    return fetched;
  };
  let next: Promise<pg.QueryResult> | null = fetchPiece();
  try {
    while (next) {
      const { rows }: pg.QueryResult<Row> = await next;
      const isLast: boolean = rows.length < wanted;
      wanted = countForNext(rows);
      next = isLast ? null : fetchPiece();
      if (rows.length > 0) yield rows;
    }
  } finally {
    // Closing fails only if the transaction has failed, which has closed the cursor already.
    await client.query('close piece').catch(() => undefined);
  }
}

/** Opens a read-only transaction on a separate connection. Its locks block only migrations. */
export const openPostgresqlSnapshot = async (url: string): Promise<Snapshot> => {
  const options = connectionOptions({ url, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const client = new options.Client({
    ...options,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    application_name: 'patchbay backup',
  });
  // Errors are ignored here, because the current or the next statement fails with the same error.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => void (await client.end().catch(() => undefined));
  try {
    await translated(client.connect());
    await translated(client.query('begin isolation level repeatable read read only; select 1'));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    engine: 'postgresql',
    read: (text) => readByCursor(client, text),
    close,
  };
};
