import type pg from 'pg';
import type { ScannedRow } from '../database.ts';
import { charactersIn, PIECE_CHARACTERS, SNAPSHOT_PIECE, type Snapshot } from '../snapshot.ts';
import { connectionOptions } from './postgresql-options.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

/** For one piece, or for a sort or a count before the first one. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
/** How long whoever reads may take for one piece, for example because a disk is slow. */
const IDLE_TIMEOUT_MS = 10 * 60_000;

const translated = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error) => {
    throw translatePostgresqlError(error);
  });

/** Before it's known how large the rows are. */
const FIRST_PIECE = 100;

/** As many as fit if they are as large as these. */
const countForNext = (rows: readonly ScannedRow[]): number => {
  const characters = rows.reduce((sum, row) => sum + charactersIn(row), 0);
  const fitting = Math.floor((rows.length * PIECE_CHARACTERS) / Math.max(1, characters));
  return Math.min(SNAPSHOT_PIECE, Math.max(1, fitting));
};

/** Within a transaction. The server prepares the next piece while the last one is used. */
export async function* readByCursor<Row extends ScannedRow>(client: pg.Client, text: string): AsyncIterable<Row[]> {
  await translated(client.query(`declare piece no scroll cursor for ${text}`));
  let wanted = FIRST_PIECE;
  const fetchPiece = (): Promise<pg.QueryResult> => {
    const fetched = translated(client.query({ text: `fetch ${wanted} from piece`, rowMode: 'array' }));
    // Whoever doesn't read on doesn't care.
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
    // Fails if the transaction has failed, and then there's nothing to close.
    await client.query('close piece').catch(() => undefined);
  }
}

/** A read-only transaction on a connection of its own, read with a cursor. Nobody waits for its locks but a migration. */
export const openPostgresqlSnapshot = async (url: string): Promise<Snapshot> => {
  const options = connectionOptions({ url, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const client = new options.Client({
    ...options,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    application_name: 'patchbay backup',
  });
  // The statement that is running, or the next one, fails as well.
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
