import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, {
  fstatSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { changeKeptValues, readKeptValues } from './kept-values.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'patchbay-kept-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('processes that start at once store the same values', () => {
  const code = `import { changeKeptValues } from './src/platform/files/kept-values.ts';
    const kept = changeKeptValues(${JSON.stringify(directory)}, (before) => before.key ? before : { ...before, key: String(process.pid) });
    process.stdout.write(kept.key);`;
  const run = `for i in 1 2 3 4; do "$0" --input-type=module-typescript -e "$1" & done; wait`;
  const { stdout } = spawnSync('sh', ['-c', run, process.execPath, code], { encoding: 'utf8' });
  const kept = readKeptValues(directory)['key'] ?? '';
  assert.match(kept, /^\d+$/);
  assert.equal(stdout, kept.repeat(4));
});

test('a damaged file is reported, and never overwritten with new keys', () => {
  writeFileSync(join(directory, 'secrets.json'), '{ "PATCHBAY_KEYS": ');
  assert.throws(() => changeKeptValues(directory, () => ({ fresh: 'x' })), /Restore it from a backup/);
});

test('a new key is never written to a file that was left or planted there', () => {
  const planted = join(directory, 'readable by others');
  writeFileSync(planted, '');
  symlinkSync(planted, join(directory, 'secrets.json.new'));
  changeKeptValues(directory, () => ({ key: 'new' }));
  assert.equal(readKeptValues(directory)['key'], 'new');
  assert.equal(readFileSync(planted, 'utf8'), '');
  assert.equal(lstatSync(join(directory, 'secrets.json')).mode & 0o777, 0o600);
});

test('a new key is on disk, by its name, too, before anything can be encrypted with it', (context) => {
  const steps: string[] = [];
  const rename = renameSync;
  context.mock.method(fs, 'fsyncSync', (file: number) => {
    steps.push(fstatSync(file).isDirectory() ? 'sync the folder' : 'sync the file');
  });
  context.mock.method(fs, 'renameSync', (from: string, to: string) => {
    steps.push('rename');
    rename(from, to);
  });
  syncBuiltinESMExports();
  try {
    changeKeptValues(directory, () => ({ key: 'new' }));
  } finally {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(steps, ['sync the file', 'rename', 'sync the folder']);
  assert.equal(readKeptValues(directory)['key'], 'new');
});
