import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { DirectoryTaken, lockDirectory } from './directory-lock.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'patchbay-lock-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const startHolder = async () => {
  const code = `import { lockDirectory } from './src/platform/directory-lock.ts';
    lockDirectory(${JSON.stringify(directory)}); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
};

test('one process holds a directory, and the refusal names it', async () => {
  const holder = await startHolder();
  assert.throws(
    () => lockDirectory(directory),
    (error) => error instanceof DirectoryTaken && error.holder === String(holder.pid),
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
});

test('after kill -9 the directory is free at once', async () => {
  const holder = await startHolder();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = lockDirectory(directory);
  lock.release();
});

test('released, it can be taken again', () => {
  lockDirectory(directory).release();
  lockDirectory(directory).release();
});
