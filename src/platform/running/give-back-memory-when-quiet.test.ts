import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CHILD = fileURLToPath(new URL('../../../test/harness/quiet-memory.child.ts', import.meta.url));

test('a process frees memory when it becomes quiet, and not while it is busy', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD], { timeout: 30_000 });
  const { busy, quiet } = JSON.parse(stdout) as { busy: number; quiet: number };
  assert.ok(busy > 60, `${busy} MB while busy`);
  assert.ok(quiet < 20, `${quiet} MB when quiet, ${busy} before`);
});
