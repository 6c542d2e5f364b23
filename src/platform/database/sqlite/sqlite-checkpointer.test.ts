import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeTestDirectory } from '../../../../test/harness/test-directory.ts';
import { waitUntil } from '../../../../test/harness/wait-until.ts';
import { openDatabase } from '../open-database.ts';
import { createSqliteCheckpointer } from './sqlite-checkpointer.ts';

/** Beyond this size, the log is restarted. */
const LONG_LOG_MB = 32;

test('long reads that keep a long log from being restarted are paused until it is', async () => {
  const directory = makeTestDirectory('patchbay-checkpointer-');
  const path = join(directory.path, 'file.db');
  const writer = new DatabaseSync(path, { timeout: 5_000 });
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table bytes (body blob)');
  const insert = writer.prepare('insert into bytes values (zeroblob(?))');
  /** Reads the checkpoint sequence number from the header of the log. */
  const countRestarts = (): number => readFileSync(`${path}-wal`).readUInt32BE(12);

  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('begin; select count(*) from bytes');
  const order: string[] = [];
  const checkpointer = createSqliteCheckpointer(path, {
    pause: async () => {
      order.push('pause');
      reader.exec('commit');
    },
    resume: () => void order.push('resume'),
  });
  const before = countRestarts();
  for (let row = 0; row <= LONG_LOG_MB; row++) insert.run(1024 * 1024);
  await waitUntil('the log was restarted', () => {
    for (let commit = 0; commit < 20; commit++) checkpointer.noteCommit();
    // Nothing is written until the thread is done, so that it doesn't find the file locked.
    if (order.at(-1) === 'resume') insert.run(1);
    return countRestarts() > before;
  });
  // The first attempt is made without a pause, and fails.
  assert.deepEqual(order.slice(0, 3), ['resume', 'pause', 'resume']);
  assert.equal(order.filter((one) => one === 'pause').length, 1);
  await checkpointer.close();
  reader.close();
  writer.close();
  directory.remove();
});

test('the log of an open database is copied into its file soon, unless another one does that', async () => {
  const directory = makeTestDirectory('patchbay-checkpointer-');
  const open = (more: { beside?: boolean; checkpointThread?: boolean } = {}) =>
    openDatabase(
      { url: null, dataDirectory: directory.path, poolSize: 1, statementTimeoutMs: 10_000, ...more },
      () => undefined,
    );
  const readBytes = (): number => statSync(join(directory.path, 'patchbay.db')).size;
  const database = open({ checkpointThread: false });
  await database.run('create table numbers (n bigint)');
  const before = readBytes();
  const writeIn = async (one: typeof database): Promise<void> => {
    for (let n = 0; n < 50; n++) await one.run('insert into numbers values ($1)', [n]);
  };
  await writeIn(database);
  const beside = open({ beside: true });
  await writeIn(beside);
  assert.equal(readBytes(), before);
  const copying = open();
  await writeIn(copying);
  await waitUntil('the file has grown', () => readBytes() > before);
  for (const one of [copying, beside, database]) await one.close();
  directory.remove();
});
