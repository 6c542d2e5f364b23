import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { CommandRefused } from '../platform/index.ts';
import { writeWholeFile } from './write-whole-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-whole-'));
  path = join(folder, 'a.zst');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fine = async (): Promise<void> => undefined;
const refuse = (): Promise<void> => Promise.reject(new CommandRefused('It is incomplete.'));

test('of two at the same time, the later one is completed and the earlier one says why it is not', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let later: Promise<void> = ended.promise;
  const beginLater = async (): Promise<void> => {
    later = writeWholeFile(
      path,
      async (file) => {
        await file.writeFile('later');
        begun.resolve();
        await ended.promise;
      },
      fine,
    );
    await begun.promise;
  };
  // The file to check belongs to the later backup, which isn't complete yet.
  await assert.rejects(writeWholeFile(path, beginLater, refuse), /Another backup to .* is running/);
  ended.resolve();
  await later;
  assert.deepEqual(readdirSync(folder), ['a.zst']);
  assert.equal(readFileSync(path, 'utf8'), 'later');
});

test('a file that another backup replaces while it is checked is left to that backup', async () => {
  const part = `${path}.part`;
  const replace = async (): Promise<void> => {
    rmSync(part);
    writeFileSync(part, 'later');
  };
  await assert.rejects(
    writeWholeFile(path, (file) => file.writeFile('earlier'), replace),
    /Another backup to .* is running/,
  );
  assert.deepEqual(readdirSync(folder), ['a.zst.part']);
  assert.equal(readFileSync(part, 'utf8'), 'later');
});

test('a file that appears under the name while it is checked is kept, and nothing else is left', async () => {
  await assert.rejects(
    writeWholeFile(
      path,
      (file) => file.writeFile('ours'),
      async () => writeFileSync(path, 'theirs'),
    ),
    /already exists/,
  );
  assert.deepEqual(readdirSync(folder), ['a.zst']);
  assert.equal(readFileSync(path, 'utf8'), 'theirs');
});

test('a file that the check refuses is not left under any name', async () => {
  await assert.rejects(
    writeWholeFile(path, (file) => file.writeFile('half'), refuse),
    /It is incomplete/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('a disk that is full is named together with the file, and nothing is left', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  await assert.rejects(
    writeWholeFile(path, () => Promise.reject(full), fine),
    (error) => error instanceof CommandRefused && /a\.zst can't be written: ENOSPC/.test(error.message),
  );
  assert.deepEqual(readdirSync(folder), []);
});
