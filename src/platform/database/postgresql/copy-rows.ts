import type pg from 'pg';
import { CommandRefused } from '../../commands/command.ts';
import type { ScannedRow } from '../database.ts';

type Rows = { table: string; columns: readonly string[]; rows: readonly ScannedRow[] };

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? '') : text;

/** Prints rows in the text format of COPY: tabs between values, a line for each row. */
const printRows = (rows: readonly ScannedRow[]): string => {
  let text = '';
  for (const row of rows) {
    let separator = '';
    for (const value of row) {
      text += separator;
      text += value === null ? '\\N' : typeof value === 'string' ? escapeText(value) : value;
      separator = '\t';
    }
    text += '\n';
  }
  return text;
};

/** The part of a connection that a COPY needs. The types of `pg` leave it out. */
type CopyConnection = {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  stream: { cork(): void; uncork(): void };
};

/** Says which row has a NUL character. SQLite stores NUL, but PostgreSQL refuses it without saying where it is. */
const refuseNul = ({ table, columns, rows }: Rows): never => {
  const isNul = (value: ScannedRow[number]): boolean => typeof value === 'string' && value.includes('\0');
  const row = rows.find((values) => values.some(isNul)) ?? [];
  throw new CommandRefused(
    `A text in ${table}.${columns[row.findIndex(isNul)]} has a NUL character in it, which PostgreSQL cannot store (${columns[0]} ${row[0]}). Nothing was kept. Remove it first.`,
  );
};

/**
 * Adds rows with COPY, which is several times as fast as INSERT. `pg` has no COPY of its own, but it runs any object
 * with these handlers as a query. All rows are in memory, so they are sent at once.
 */
export const copyRows = async (client: pg.Client, { table, columns, rows }: Rows): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const content = Buffer.from(printRows(rows));
  if (content.includes(0)) refuseNul({ table, columns, rows });
  const copy = {
    submit: (connection: CopyConnection) =>
      connection.query(`copy ${table} (${columns.join(', ')}) from stdin with (freeze)`),
    handleCopyInResponse(connection: CopyConnection): void {
      connection.stream.cork();
      connection.sendCopyFromChunk(content);
      connection.endCopyFrom();
      connection.stream.uncork();
    },
    handleCommandComplete: () => undefined,
    handleError: (error: Error): void => copy.callback(error),
    handleReadyForQuery: (): void => copy.callback(),
    // Called at the end. `pg` replaces `callback` with a function that also clears the query's timeout.
    callback: (error?: Error): void => (error ? reject(error) : resolve()),
  };
  client.query(copy as unknown as pg.Submittable);
  return promise;
};
