import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { makeTestDirectory } from '../../../test/harness/test-directory.ts';
import { useStage } from '../../../test/harness/use-stage.ts';

describe('/client.tgz', () => {
  const stage = useStage(() => createTestApp('sqlite'));
  const get = (headers: Record<string, string> = {}) => stage.server.inject({ url: '/client.tgz', headers });

  test('is the client of this version, installed by npm without building anything', async (context) => {
    const { path, remove } = makeTestDirectory('patchbay-installed-');
    context.after(remove);
    const project = join(path, 'project');
    mkdirSync(project);
    writeFileSync(join(path, 'client.tgz'), (await get()).rawPayload);
    writeFileSync(join(project, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '../client.tgz'], { cwd: project });
    const say = "import('@patchbay/client').then((all) => console.log(Object.keys(all).sort().join()))";
    const names = execFileSync(process.execPath, ['-e', say], { cwd: project, encoding: 'utf8' }).trim().split(',');
    assert.ok(names.includes('Patchbay') && names.includes('PatchbayError'), names.join());
    const installed = join(project, 'node_modules/@patchbay/client');
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal(version, JSON.parse(readFileSync('packages/client/package.json', 'utf8')).version);
    for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'dist/index.d.ts'])
      assert.ok(readFileSync(join(installed, file), 'utf8').length > 0, file);
  });

  test('has what npm pack would publish, and nothing else', async () => {
    const list = execFileSync('tar', ['-tz'], { input: (await get()).rawPayload, encoding: 'utf8' });
    const [{ files }] = JSON.parse(
      execFileSync('npm', ['pack', './packages/client', '--dry-run', '--json'], { encoding: 'utf8' }),
    );
    const packed = files.map((file: { path: string }) => `package/${file.path}`);
    assert.deepEqual(list.trim().split('\n').sort(), packed.sort());
  });

  test('is sent again only if it changed', async () => {
    const { headers } = await get();
    const etag = String(headers['etag']);
    const again = await get({ 'if-none-match': etag });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
    assert.equal((await get({ 'if-none-match': '"other"' })).statusCode, 200);
  });
});
