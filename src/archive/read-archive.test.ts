import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { SECRETS } from '../../test/harness/app.ts';
import { readLines, writeLines } from '../../test/harness/archive-lines.ts';
import { Secret } from '../platform/index.ts';
import { parseKeyRing } from '../vault/index.ts';
import { ArchiveRefused, createFileDigest, createTableDigest } from './archive.ts';
import { readArchive } from './read-archive.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TRUST = { ring: parseKeyRing(new Secret(SECRETS.PATCHBAY_KEYS)), unauthenticated: false };

const HEADER = {
  patchbay: 'backup',
  format: 2,
  engine: 'sqlite',
  key: 'k1',
  takenAt: '2026-11-17T12:00:00.000Z',
  migrations: [{ id: '0001-teams', digest: 'x' }],
  tables: ['teams'],
  about: 1,
};
const START = { table: 'teams', columns: ['id', 'created_at'] };
const ROW = ['one', 1];

/** Writes a backup with correct checksums, as an attacker would. */
const write = ({ header = HEADER, start = START, row = ROW, extra = [] as unknown[] }): string => {
  const digest = createTableDigest();
  digest.add(row as []);
  const { rows, digest: sum } = digest.summarize('teams');
  const lines = [header, start, row, ...extra, { end: 'teams', rows, digest: sum }].map((line) => JSON.stringify(line));
  const file = createFileDigest();
  for (const line of lines) if (!line.startsWith('[')) file.add(line);
  const path = join(folder, 'a.zst');
  const trailer = JSON.stringify({ complete: true, rows, sha256: file.end() });
  writeLines(path, [...lines, trailer]);
  return path;
};

test('a file that is as it should be is read', async () => {
  assert.equal((await readArchive(write({}), TRUST)).rows, 1);
});

const wrong: Record<string, object> = {
  'migrations that are no list': { header: { ...HEADER, migrations: null } },
  'a key in it that is no name': { header: { ...HEADER, key: '\u001b[2J' } },
  'no key although its format has one': { header: { ...HEADER, key: undefined } },
  'a key although its format has none': { header: { ...HEADER, format: 1 } },
  'a time that is none': { header: { ...HEADER, takenAt: '\u001b[2J' } },
  'a table that the first line does not list': { header: { ...HEADER, tables: ['users'] } },
  'a table missing that the first line lists': { header: { ...HEADER, tables: ['teams', 'users'] } },
  'columns that are no list': { start: { ...START, columns: 'id' } },
  'a row with too few values': { row: ['one'] },
  'a row with an object in it': { row: ['one', {}] },
  'a row with a boolean in it': { row: ['one', true] },
  'a table that begins within another': { extra: [START] },
  'nothing where a row should be': { extra: [null] },
  'a number where a row should be': { extra: [1] },
};

for (const [what, content] of Object.entries(wrong))
  test(`a file with ${what} is refused`, async () => {
    await assert.rejects(readArchive(write(content), TRUST), ArchiveRefused);
  });

const changed: Record<string, (lines: string[]) => string[]> = {
  'first line': ([first = '', ...rest]) => [first.replace('2026-11-17', '2026-11-16'), ...rest],
  'line before the rows': (lines) => lines.with(1, JSON.stringify({ ...START, columns: START.columns.toReversed() })),
  'only row': (lines) => lines.with(2, JSON.stringify(['two', 1])),
  'count in the last line': (lines) => lines.with(-1, lines.at(-1)?.replace('"rows":1', '"rows":2') ?? ''),
};

for (const [what, change] of Object.entries(changed))
  test(`a file whose ${what} was changed is refused`, async () => {
    const path = write({});
    const lines = readLines(path);
    assert.notDeepEqual(change(lines), lines);
    writeLines(path, change(lines));
    await assert.rejects(readArchive(path, TRUST), /damaged/);
  });

for (const [what, bytes] of Object.entries({
  'a single byte': Buffer.of(0),
  'another backup': zstdCompressSync(`${JSON.stringify(HEADER)}\n`),
  'more than is read at once': Buffer.alloc(600_000, 'x'),
  'as many bytes as an empty frame has': Buffer.alloc(13, 'x'),
}))
  test(`a file with ${what} after its end is refused`, async () => {
    const path = write({});
    appendFileSync(path, bytes);
    await assert.rejects(readArchive(path, TRUST), /^ArchiveRefused: The file has bytes after its end/);
  });

test('a file with tables that the first line does not list is refused at the first of them', async () => {
  const path = join(folder, 'a.zst');
  const table = '{"table":"teams","columns":[]}\n{"end":"teams","rows":0,"digest":"0000000000000000"}\n';
  // The file also lacks its end. If tables were only counted there, the error would be about the missing end.
  writeFileSync(path, zstdCompressSync(`${JSON.stringify(HEADER)}\n${table.repeat(2)}`));
  await assert.rejects(readArchive(path, TRUST), /damaged/);
});
