import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, type TestContext, test } from 'node:test';
import { DirectoryTaken, findAnnounced, lockDirectory } from './lock-directory.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'patchbay-lock-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Starts a process that locks the directory without keeping a reference to the lock, which must hold anyway. */
const startHolder = async (context: TestContext) => {
  const code = `import { lockDirectory } from './src/platform/files/lock-directory.ts';
    lockDirectory(${JSON.stringify(directory)}).announce('http://localhost:4000'); gc(); console.log('held'); setInterval(gc, 50);`;
  const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module-typescript', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  context.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  return holder;
};

test('only one process can lock a directory, and the error names it', async (context) => {
  const holder = await startHolder(context);
  assert.throws(
    () => lockDirectory(directory),
    (error) => error instanceof DirectoryTaken && error.holder === String(holder.pid),
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
});

test('after kill -9 the directory is free at once', async (context) => {
  const holder = await startHolder(context);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = lockDirectory(directory);
  lock.release();
});

test('after release, it can be locked again', () => {
  lockDirectory(directory).release();
  lockDirectory(directory).release();
});

test('the holder can be found as long as it holds the directory, and not after kill -9', async (context) => {
  assert.equal(findAnnounced(directory), null);
  const holder = await startHolder(context);
  assert.equal(findAnnounced(directory), 'http://localhost:4000');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.equal(findAnnounced(directory), null);
  const lock = lockDirectory(directory);
  assert.equal(findAnnounced(directory), null, 'The next one has not said yet where it is.');
  lock.announce('http://localhost:5000');
  assert.equal(findAnnounced(directory), 'http://localhost:5000');
  lock.release();
  assert.equal(findAnnounced(directory), null);
});
