import assert from 'node:assert/strict';
import { chmodSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openServeStage } from '../harness/serve-stage.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

// Windows has no file modes: there, the folder's access list decides.
describe('a data directory that others can look into', {
  skip: process.platform === 'win32' && 'Windows has no file modes.',
}, () => {
  const openDirectory = (directory: string): string => {
    chmodSync(directory, 0o755);
    return directory;
  };
  const readableByOthers = (directory: string): string[] =>
    globSync('**', { cwd: directory })
      .filter((name) => name !== '.' && (modeOf(join(directory, name)) & 0o077) !== 0)
      .sort();

  test('contains no file they can read', async (context) => {
    const stage = openServeStage(context);
    const directory = openDirectory(stage.newDirectory());
    const serving = await stage.serve({ PATCHBAY_DATA: directory });
    await serving.ready();
    assert.ok(statSync(join(directory, 'patchbay.db')).isFile());
    assert.deepEqual(readableByOthers(directory), []);
  });

  test('with an existing database is closed to them at the next start', async (context) => {
    const stage = openServeStage(context);
    const directory = openDirectory(stage.newDirectory());
    const first = await stage.serve({ PATCHBAY_DATA: directory });
    await first.ready();
    first.kill('SIGTERM');
    await first.ended();
    for (const name of globSync('patchbay.db*', { cwd: directory })) chmodSync(join(directory, name), 0o644);
    const second = await stage.serve({ PATCHBAY_DATA: directory });
    await second.ready();
    assert.deepEqual(readableByOthers(directory), []);
  });

  test('stays readable for a group the operator let in', async (context) => {
    const stage = openServeStage(context);
    const directory = openDirectory(stage.newDirectory());
    const first = await stage.serve({ PATCHBAY_DATA: directory });
    await first.ready();
    first.kill('SIGTERM');
    await first.ended();
    chmodSync(join(directory, 'patchbay.db'), 0o640);
    const second = await stage.serve({ PATCHBAY_DATA: directory });
    await second.ready();
    assert.equal(modeOf(join(directory, 'patchbay.db')), 0o640);
  });
});
