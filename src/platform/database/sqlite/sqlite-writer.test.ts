import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { skipAhead } from '../../../../test/harness/skip-ahead.ts';
import { startStopwatch } from '../../../../test/harness/start-stopwatch.ts';
import { DatabaseUnavailable } from '../database.ts';
import { createFairTurns } from './fair-turns.ts';
import { openSqliteWriter } from './sqlite-writer.ts';

/** How long a write waits for another process. */
const BUSY_PATIENCE_MS = 10_000;
/** How many writes of this process can wait for their turn. */
const MOST_WAITING = 5_000;

test('writes that wait for another process time out on their own, without blocking the event loop', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-writer-'));
  const path = join(directory, 'test.db');
  const other = new DatabaseSync(path);
  other.exec('pragma journal_mode = wal; create table t (id integer); begin immediate');
  const writer = openSqliteWriter(path, createFairTurns(), async () => undefined);
  let ended = 0;
  const writes = Array.from({ length: 4 }, () =>
    writer.alone((statements) => statements.run('insert into t values (1)')).finally(() => ended++),
  );
  const outcome = Promise.allSettled(writes);
  const readMs = startStopwatch();
  for (let turn = 0; turn < 1_000; turn++) await nextTurn();
  const tookMs = readMs();
  assert.ok(tookMs < 1_000, `The event loop stood still: ${Math.round(tookMs)} ms for a thousand turns.`);
  assert.equal(ended, 0, 'They wait.');
  skipAhead(BUSY_PATIENCE_MS);
  const outcomes = await outcome;
  assert.ok(
    outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailable),
  );
  other.exec('rollback');
  await writer.alone((statements) => statements.run('insert into t values (2)'));
  other.close();
  await writer.close();
  rmSync(directory, { recursive: true });
});

test('when too many writes wait, the next one fails at once, and those that wait are written', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-writer-'));
  const writer = openSqliteWriter(join(directory, 'test.db'), createFairTurns(), async () => undefined);
  writer.connection.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (id integer)');
  const { promise, resolve } = Promise.withResolvers<void>();
  const add = () => writer.alone((statements) => statements.run('insert into t values (1)'));
  const first = writer.together(() => promise);
  const waiting = Array.from({ length: MOST_WAITING }, add);
  await assert.rejects(add(), DatabaseUnavailable);
  resolve();
  await Promise.all([first, ...waiting]);
  assert.equal(await add(), 1);
  const row = writer.connection.prepare('select count(*) as n from t').get();
  assert.equal(row?.['n'], MOST_WAITING + 1);
  await writer.close();
  rmSync(directory, { recursive: true });
});
