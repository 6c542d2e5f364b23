import type { ScannedRow } from '../platform/index.ts';
import {
  ArchiveRefused,
  createFileDigest,
  createTableDigest,
  type Header,
  type TableEnd,
  type TableStart,
  type TableSummary,
  type Trailer,
} from './archive.ts';
import { damaged, isRowOf, parseHeader, parseLine, parseTrailer } from './parse-line.ts';
import { readLines } from './read-lines.ts';

export type ArchiveContent = { header: Header; tables: TableSummary[]; rows: number };

/** Called in the order of the file. */
export type VisitRows = (table: TableStart, rows: ScannedRow[]) => void | Promise<void>;

const TRAILER = '{"complete":';

const refuseIncomplete = () => new ArchiveRefused('The file is incomplete: its end is missing.');

/** Only what the first line says. */
export const readHeader = async (path: string): Promise<Header> => {
  for await (const [line = ''] of readLines(path)) return parseHeader(line);
  throw refuseIncomplete();
};

/** Reads a backup to its end and compares every count and checksum in it. Throws ArchiveRefused if anything is wrong. */
export const readArchive = async (path: string, onRows: VisitRows = () => undefined): Promise<ArchiveContent> => {
  const file = createFileDigest();
  const tables: TableSummary[] = [];
  let header: Header | undefined;
  let trailer: Trailer | undefined;
  let open: { start: TableStart; digest: ReturnType<typeof createTableDigest> } | null = null;

  const endTable = ({ end, rows, digest }: TableEnd): void => {
    const summary = open?.digest.summarize(open.start.table);
    if (summary?.name !== end || summary.rows !== rows || summary.digest !== digest) throw damaged();
    tables.push(summary);
    open = null;
  };

  const readBody = async (lines: readonly string[]): Promise<void> => {
    let rows: ScannedRow[] = [];
    for (const line of lines) {
      const content = parseLine(line);
      if (!Array.isArray(content)) file.add(line);
      if ('table' in content) {
        if (open || header?.tables[tables.length] !== content.table) throw damaged();
        open = { start: content, digest: createTableDigest() };
      } else if (!open) throw damaged();
      else if ('end' in content) {
        if (rows.length > 0) await onRows(open.start, rows);
        rows = [];
        endTable(content);
      } else {
        if (!isRowOf(content, open.start.columns)) throw damaged();
        open.digest.add(content);
        rows.push(content);
      }
    }
    if (open && rows.length > 0) await onRows(open.start, rows);
  };

  for await (const lines of readLines(path)) {
    if (trailer) throw damaged();
    if (!header) {
      const line = lines.shift() ?? '';
      header = parseHeader(line);
      file.add(line);
    }
    if (lines.at(-1)?.startsWith(TRAILER)) trailer = parseTrailer(lines.pop() ?? '');
    await readBody(lines);
  }

  if (!header || !trailer) throw refuseIncomplete();
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const isListed =
    tables.every(({ name }, at) => header?.tables[at] === name) && header.tables.length === tables.length;
  if (!isListed || trailer.rows !== rows || trailer.sha256 !== file.end()) throw damaged();
  return { header, tables, rows };
};
