import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { waitUntil } from '../harness/wait-until.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/example.ts', import.meta.url));

test('the example starts next to a Patchbay of its own, and both end together', async (context) => {
  const { path, remove } = makeTestDirectory('patchbay-example-');
  // Whatever this shell has set is left alone.
  const env = { ...process.env, DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing', PATCHBAY_KEYS: 'none' };
  const child = spawn(process.execPath, [SCRIPT, path], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
    remove();
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await waitUntil('the link is printed', () => printed.includes('Ctrl-C') || child.exitCode !== null, 60_000);
  const [product = '', patchbay = ''] = printed.match(/http:\/\/[\w.]+:\d+/g) ?? [];
  const page = await fetch(product);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.ok((await page.text()).includes(`<script type="module" src="${patchbay}/connect.js"></script>`));
  for (const method of ['GET', 'POST'])
    assert.equal((await fetch(`${product}/patchbay-session`, { method })).status, 403, 'From another site.');
  assert.equal((await fetch(`${patchbay}/readyz`)).status, 200);

  child.kill('SIGINT');
  const [code] = await ended;
  assert.equal(code, 0);
  for (const address of [product, patchbay]) await assert.rejects(fetch(address));
});
