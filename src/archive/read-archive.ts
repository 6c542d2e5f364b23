import { equalSecrets, type ScannedRow } from '../platform/index.ts';
import { type AuthenticationCode, createAuthenticationCode, type KeyRing } from '../vault/index.ts';
import {
  ArchiveRefused,
  CODE_PURPOSE,
  createFileDigest,
  createTableDigest,
  type Header,
  type TableEnd,
  type TableStart,
  type TableSummary,
  type Trailer,
} from './archive.ts';
import { damaged, isRowOf, parseCode, parseHeader, parseLine, parseTrailer } from './parse-line.ts';
import { readLines } from './read-lines.ts';

/** How to check that a backup is ours. */
export type Trust = {
  /** The keys to check the backup with. If null, its authentication code isn't checked. */
  ring: KeyRing | null;
  /** Whether to accept a backup without an authentication code. */
  unauthenticated: boolean;
  /** The option that a refusal advises. Default: `--unauthenticated`. */
  flag?: string;
};

/** `authenticated`: whether the authentication code was checked. */
export type ArchiveContent = { header: Header; tables: TableSummary[]; rows: number; authenticated: boolean };

/** Called for the rows of each table, in the order of the file. */
export type VisitRows = (table: TableStart, rows: ScannedRow[]) => void | Promise<void>;

const TRAILER = '{"complete":';
const CODE = '{"mac":';

const refuseIncomplete = () => new ArchiveRefused('The file is incomplete: its end is missing.');

const refuseWithoutCode = (flag: string) =>
  new ArchiveRefused(
    `It has no authentication code, so nothing shows that nobody has changed it. Either it was made by an older version of Patchbay, or the code was removed. If nobody else could write to it, use ${flag}.`,
  );

const refuseWithoutKey = (key: string) =>
  new ArchiveRefused(
    `It was made with the key "${key}", which is not in PATCHBAY_KEYS, so nothing shows that nobody has changed it. Add the key again.`,
  );

const refuseForged = () =>
  new ArchiveRefused(
    'Its authentication code is wrong: it was changed after it was made, or it was made with other keys than those in PATCHBAY_KEYS.',
  );

/** Starts the authentication code that is compared with the one in the file. Null if the code isn't checked. */
const beginCode = (
  { key }: Header,
  { ring, unauthenticated, flag = '--unauthenticated' }: Trust,
): AuthenticationCode | null => {
  if (key === null && !unauthenticated) throw refuseWithoutCode(flag);
  if (key === null || !ring) return null;
  const code = createAuthenticationCode(ring, CODE_PURPOSE, key);
  if (!code) throw refuseWithoutKey(key);
  return code;
};

/** Reads only the first line. */
export const readHeader = async (path: string): Promise<Header> => {
  for await (const [line = ''] of readLines(path)) return parseHeader(line);
  throw refuseIncomplete();
};

/**
 * Reads a backup to its end, compares every count and checksum in it, and checks its authentication code. Throws
 * ArchiveRefused if anything is wrong. Don't trust the rows before this returns: anyone may have written them.
 */
export const readArchive = async (
  path: string,
  trust: Trust,
  onRows: VisitRows = () => undefined,
): Promise<ArchiveContent> => {
  const file = createFileDigest();
  const tables: TableSummary[] = [];
  let header: Header | undefined;
  let trailer: Trailer | undefined;
  let code: AuthenticationCode | null = null;
  let mac: string | undefined;
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
    if (mac !== undefined) throw damaged();
    if (!header) {
      const line = lines.shift() ?? '';
      header = parseHeader(line);
      code = beginCode(header, trust);
      const first = file.add(line);
      code?.add(first);
    }
    if (header.key !== null && lines.at(-1)?.startsWith(CODE)) ({ mac } = parseCode(lines.pop() ?? ''));
    if (lines.length === 0) continue;
    if (trailer) throw damaged();
    code?.add(`${lines.join('\n')}\n`);
    if (lines.at(-1)?.startsWith(TRAILER)) trailer = parseTrailer(lines.pop() ?? '');
    await readBody(lines);
  }

  if (!header || !trailer || (header.key !== null && mac === undefined)) throw refuseIncomplete();
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const isListed =
    tables.every(({ name }, at) => header?.tables[at] === name) && header.tables.length === tables.length;
  if (!isListed || trailer.rows !== rows || trailer.sha256 !== file.end()) throw damaged();
  if (code && !equalSecrets(code.end(), mac ?? '')) throw refuseForged();
  return { header, tables, rows, authenticated: code !== null };
};
