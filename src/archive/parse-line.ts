import type { Static, TSchema } from 'typebox';
import { findMisfits, type ScannedRow, Type } from '../platform/index.ts';
import {
  ArchiveRefused,
  type Code,
  FORMAT,
  type Header,
  type TableEnd,
  type TableStart,
  type Trailer,
} from './archive.ts';

const Count = Type.Integer({ minimum: 0 });
const Texts = Type.Array(Type.String());

const HeaderLine = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')]),
  key: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' })),
  takenAt: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z$' }),
  migrations: Type.Array(Type.Object({ id: Type.String(), digest: Type.String() })),
  tables: Texts,
  about: Count,
});
const StartLine = Type.Object({ table: Type.String(), columns: Texts });
const EndLine = Type.Object({ end: Type.String(), rows: Count, digest: Type.String() });
const TrailerLine = Type.Object({ complete: Type.Literal(true), rows: Count, sha256: Type.String() });
const CodeLine = Type.Object({ mac: Type.String() });

const FIRST_AUTHENTICATED = 2;

export const damaged = () => new ArchiveRefused('The file is damaged: a checksum in it is wrong.');

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw damaged();
  }
};

const fit = <Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> => {
  if (findMisfits(schema, value).length > 0) throw damaged();
  return value as Static<Schema>;
};

export const parseHeader = (line: string): Header => {
  let header: Partial<Header> | null = null;
  try {
    header = JSON.parse(line);
  } catch {
    // A header that isn't JSON is refused below.
  }
  if (header?.patchbay !== 'backup' || !header.format)
    throw new ArchiveRefused('The file is not a backup of Patchbay.');
  if (header.format > FORMAT)
    throw new ArchiveRefused('The backup was made by a newer version of Patchbay. Use that version.');
  const { key = null, ...fitting } = fit(HeaderLine, header);
  if ((key === null) !== fitting.format < FIRST_AUTHENTICATED) throw damaged();
  return { ...header, ...fitting, key } as Header;
};

export const parseCode = (line: string): Code => fit(CodeLine, parse(line));

export const parseTrailer = (line: string): Trailer => fit(TrailerLine, parse(line));

/** Whether this is a row of these columns. Its values may only be what a database returns: texts, numbers, and null. */
export const isRowOf = (row: ScannedRow, columns: readonly string[]): boolean =>
  row.length === columns.length &&
  row.every((value) => value === null || typeof value === 'string' || typeof value === 'number');

/** Parses a row, or the line before or after the rows of a table. */
export const parseLine = (line: string): ScannedRow | TableStart | TableEnd => {
  const content = parse(line);
  if (Array.isArray(content)) return content;
  return content !== null && typeof content === 'object' && 'table' in content
    ? fit(StartLine, content)
    : fit(EndLine, content);
};
