import { type ArchiveContent, readArchive, type Trust } from './read-archive.ts';

/** Some columns of a table, and what to do with each row. */
type ColumnReader = { columns: readonly string[]; onRow(...values: (string | null)[]): void };

/** Reads a backup to its end, but only passes on some columns. Throws ArchiveRefused if anything in it is wrong. */
export const readColumns = (
  path: string,
  trust: Trust,
  readers: Readonly<Record<string, ColumnReader>>,
): Promise<Pick<ArchiveContent, 'header' | 'authenticated'>> =>
  readArchive(path, trust, ({ table, columns }, rows) => {
    const reader = Object.hasOwn(readers, table) ? readers[table] : undefined;
    if (!reader) return;
    const places = reader.columns.map((name) => columns.indexOf(name));
    for (const row of rows)
      reader.onRow(
        ...places.map((place) => (row[place] === null || row[place] === undefined ? null : String(row[place]))),
      );
  });
