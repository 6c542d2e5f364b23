import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairTurns } from './fair-turns.ts';
import { createSqliteLogSync } from './sqlite-log-sync.ts';
import { openSqliteWriter } from './sqlite-writer.ts';

describe('waiting for the disk', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-sync-'));
    path = join(directory, 'test.db');
    new DatabaseSync(path).exec('pragma journal_mode = wal; create table t (id integer)');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('a write resolves only after a sync that started after its commit', async () => {
    const other = new DatabaseSync(path);
    const count = () => other.prepare('select count(*) as n from t').get()?.['n'];
    const disk = Promise.withResolvers<void>();
    let seenAtSync: unknown;
    const writer = openSqliteWriter(path, createFairTurns(), () => {
      seenAtSync = count();
      return disk.promise;
    });
    let isDone = false;
    const write = writer.alone((statements) => statements.run('insert into t values (1)')).then(() => (isDone = true));
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    assert.equal(seenAtSync, 1);
    assert.equal(isDone, false);
    disk.resolve();
    await write;
    await writer.close();
    other.close();
  });

  test('a write fails if its sync fails, and later ones do not', async () => {
    let fails = true;
    const writer = openSqliteWriter(path, createFairTurns(), async () => {
      if (fails) throw new Error('EIO');
    });
    const write = () => writer.together((statements) => statements.run('insert into t values (1)'));
    await assert.rejects(write(), /EIO/);
    fails = false;
    await write();
    await writer.close();
  });

  test('calls during a sync share the next one, and never the one that started before', async () => {
    const database = new DatabaseSync(path);
    database.exec('insert into t values (1)');
    const log = createSqliteLogSync(path);
    const first = log.sync();
    const [second, third] = [log.sync(), log.sync()];
    assert.notEqual(second, first);
    assert.equal(third, second);
    await Promise.all([first, second]);
    assert.notEqual(log.sync(), second);
    await log.close();
    database.close();
  });
});
