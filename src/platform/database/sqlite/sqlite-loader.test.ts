import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openSqliteLoader } from './sqlite-loader.ts';

describe('a SQLite file that is being filled', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'patchbay-loader-'));
    path = join(folder, 'patchbay.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const fill = async () => {
    const loader = await openSqliteLoader(path);
    await loader.tx.script('create table names (name text)');
    await loader.insert('names', ['name'], [['Ada']]);
    return loader;
  };

  test('does not replace one that somebody else has created meanwhile', async () => {
    const loader = await fill();
    writeFileSync(path, 'of another process');
    await assert.rejects(loader.commit(), /Another process has created .*patchbay\.db meanwhile/);
    await loader.close();
    assert.deepEqual(readdirSync(folder), ['patchbay.db']);
    assert.equal(readFileSync(path, 'utf8'), 'of another process');
  });
});
