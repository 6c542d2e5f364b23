import type { ScannedRow, Snapshot, Table } from '../platform/index.ts';
import type { AuthenticationCode } from '../vault/index.ts';
import { createFileDigest, createTableDigest, FORMAT, type Header, type TableSummary, toLine } from './archive.ts';
import { AUDIO } from './archived-audio.ts';
import { readTable } from './archived-tables.ts';

export type Printed = { tables: TableSummary[]; rows: number };

type Content = {
  snapshot: Snapshot;
  about: Pick<Header, 'takenAt' | 'migrations' | 'about'>;
  /** The tables to print. */
  archived: readonly Table[];
  /** The rows of recordings, which are read after all tables. Null for a backup without them. */
  audio: AsyncIterable<ScannedRow[]> | null;
  /** The authentication code, to which everything that is printed is added. */
  code: AuthenticationCode;
};

/**
 * Prints the content of the file, in pieces of some hundred kilobytes. Calls `onRows` with the number of rows so far.
 */
export async function* printArchive(
  { snapshot, about, archived, audio, code }: Content,
  onRows: (rows: number) => void,
): AsyncGenerator<string, Printed> {
  const names = [...archived.map(({ name }) => name), ...(audio ? [AUDIO.name] : [])];
  const file = createFileDigest();
  const tables: TableSummary[] = [];
  let rows = 0;
  const coded = (text: string): string => {
    code.add(text);
    return text;
  };

  async function* printTable(name: string, columns: string[], pieces: AsyncIterable<ScannedRow[]>) {
    const digest = createTableDigest();
    yield coded(file.add(toLine({ table: name, columns })));
    for await (const piece of pieces) {
      for (const row of piece) digest.add(row);
      rows += piece.length;
      onRows(rows);
      yield coded(`${piece.map(toLine).join('\n')}\n`);
    }
    const summary = digest.summarize(name);
    tables.push(summary);
    yield coded(file.add(toLine({ end: summary.name, rows: summary.rows, digest: summary.digest })));
  }

  const { keyId: key } = code;
  const header = { patchbay: 'backup', format: FORMAT, engine: snapshot.engine, key, ...about, tables: names } as const;
  yield coded(file.add(toLine(header)));
  for (const table of archived) yield* printTable(table.name, Object.keys(table.columns), readTable(snapshot, table));
  if (audio) yield* printTable(AUDIO.name, AUDIO.columns, audio);
  yield coded(`${toLine({ complete: true, rows, sha256: file.end() })}\n`);
  yield `${toLine({ mac: code.end() })}\n`;
  return { tables, rows };
}
