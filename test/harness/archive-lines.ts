import { readFileSync, writeFileSync } from 'node:fs';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { createFileDigest, createTableDigest, toLine } from '../../src/archive/archive.ts';
import { readMigrations, readSchema } from '../../src/platform/index.ts';

/** The lines of a backup. */
export const readLines = (path: string): string[] =>
  zstdDecompressSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');
export const writeLines = (path: string, lines: readonly string[]): void =>
  writeFileSync(path, zstdCompressSync(`${lines.join('\n')}\n`));

/** With one more table of one row, and the checksum that then belongs at the end. */
export const withTable = (lines: readonly string[], name: string, row: readonly string[] = []): string[] => {
  const { tables, ...header } = JSON.parse(lines[0] ?? '');
  const digest = createTableDigest();
  digest.add([...row]);
  const added = [
    toLine({ table: name, columns: [...row.keys()].map(String) }),
    toLine([...row]),
    toLine({ end: name, rows: 1, digest: digest.summarize(name).digest }),
  ];
  const body = [toLine({ ...header, tables: [...tables, name] }), ...lines.slice(1, -1), ...added];
  const file = createFileDigest();
  for (const line of body) if (!line.startsWith('[')) file.add(line);
  return [...body, toLine({ complete: true, rows: JSON.parse(lines.at(-1) ?? '').rows + 1, sha256: file.end() })];
};

/** The same content as the version that had these migrations would have written it. */
export const toOlder = (lines: readonly string[], count: number): string[] => {
  const migrations = readMigrations().slice(0, count);
  const schema = new Map(readSchema(migrations).map(({ name, columns }) => [name, Object.keys(columns)]));
  const header = JSON.parse(lines[0] ?? '');
  const file = createFileDigest();
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(file.add(line).trimEnd());
  const tables = header.tables.filter((name: string) => schema.has(name));
  print(toLine({ ...header, migrations: header.migrations.slice(0, count), tables }));
  let rows = 0;
  for (const name of tables) {
    const from = lines.findIndex((line) => line.startsWith(`{"table":"${name}"`));
    const to = lines.findIndex((line) => line.startsWith(`{"end":"${name}"`));
    const { columns } = JSON.parse(lines[from] ?? '');
    const kept = name === 'jobs' ? columns : schema.get(name);
    const digest = createTableDigest();
    print(toLine({ table: name, columns: kept }));
    for (const line of lines.slice(from + 1, to)) {
      const values = JSON.parse(line);
      const row = kept.map((column: string) => values[columns.indexOf(column)]);
      printed.push(toLine(row));
      digest.add(row);
    }
    const summary = digest.summarize(name);
    rows += summary.rows;
    print(toLine({ end: name, rows: summary.rows, digest: summary.digest }));
  }
  return [...printed, toLine({ complete: true, rows, sha256: file.end() })];
};

/** The same content, made at another time. */
export const atTime = (lines: readonly string[], takenAt: string): string[] =>
  toOlder(lines.with(0, toLine({ ...JSON.parse(lines[0] ?? ''), takenAt })), readMigrations().length);

/** The first team was created at something else. */
export const withCreatedAt = (lines: readonly string[], value: string): string[] => {
  const at = lines.findIndex((line) => line.startsWith('{"table":"teams"')) + 1;
  return lines.with(at, (lines[at] ?? '').replace(/,\d{13},/, `,${value},`));
};
