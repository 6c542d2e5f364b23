import { readFileSync, writeFileSync } from 'node:fs';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CODE_PURPOSE, createFileDigest, createTableDigest, toLine } from '../../src/archive/archive.ts';
import { readMigrations, readSchema, Secret } from '../../src/platform/index.ts';
import { createAuthenticationCode, parseKeyRing } from '../../src/vault/index.ts';
import { SECRETS } from './app.ts';

/** All lines of a backup, as anyone can read them who has the file. */
export const readAllLines = (path: string): string[] =>
  zstdDecompressSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');

/** As anyone can write them. */
export const writeAllLines = (path: string, lines: readonly string[]): void =>
  writeFileSync(path, zstdCompressSync(`${lines.join('\n')}\n`));

/** Those that are authenticated. */
export const readLines = (path: string): string[] => readAllLines(path).slice(0, -1);

/** As only someone with the keys of the tests can write them. */
export const writeLines = (path: string, lines: readonly string[]): void => {
  const code = createAuthenticationCode(parseKeyRing(new Secret(SECRETS.PATCHBAY_KEYS)), CODE_PURPOSE);
  if (!code) throw new Error('There is no key.');
  code.add(`${lines.join('\n')}\n`);
  writeAllLines(path, [...lines, toLine({ mac: code.end() })]);
};

/** What a backup has after its first line, with the checksum that belongs at its end. */
const complete = (body: readonly string[]): string[] => {
  const file = createFileDigest();
  for (const line of body) if (!line.startsWith('[')) file.add(line);
  const rows = body.filter((line) => line.startsWith('[')).length;
  return [...body, toLine({ complete: true, rows, sha256: file.end() })];
};

/** With other rows in a table, and all checksums that then belong there. */
export const withRows = (
  lines: readonly string[],
  table: string,
  change: (rows: string[], columns: string[]) => string[],
): string[] => {
  const from = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
  const to = lines.findIndex((line) => line.startsWith(`{"end":"${table}"`));
  const rows = change(lines.slice(from + 1, to), JSON.parse(lines[from] ?? '').columns);
  const digest = createTableDigest();
  for (const one of rows) digest.add(JSON.parse(one));
  const { rows: count, digest: sum } = digest.summarize(table);
  const end = toLine({ end: table, rows: count, digest: sum });
  return complete([...lines.slice(0, from + 1), ...rows, end, ...lines.slice(to + 1, -1)]);
};

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
  return complete([toLine({ ...header, tables: [...tables, name] }), ...lines.slice(1, -1), ...added]);
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
