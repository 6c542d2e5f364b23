import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startStopwatch } from '../../../../test/harness/start-stopwatch.ts';
import { DatabaseUnavailable } from '../database.ts';
import { createFairTurns } from './fair-turns.ts';
import { openSqliteWriter } from './sqlite-writer.ts';

test('writes that wait for another process time out on their own, without blocking the event loop', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-writer-'));
  const path = join(directory, 'test.db');
  const other = new DatabaseSync(path);
  other.exec('pragma journal_mode = wal; create table t (id integer); begin immediate');
  const writer = openSqliteWriter(path, createFairTurns(), async () => undefined);
  const readMs = startStopwatch();
  const writes = Array.from({ length: 4 }, () =>
    writer.alone((statements) => statements.run('insert into t values (1)')),
  );
  let [tickedAt, longestMs] = [0, 0];
  const tick = (): void => {
    const now = readMs();
    longestMs = Math.max(longestMs, now - tickedAt);
    tickedAt = now;
  };
  const timer = setInterval(tick, 10);
  const outcomes = await Promise.allSettled(writes);
  clearInterval(timer);
  tick();
  const tookMs = readMs();
  assert.ok(
    outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailable),
  );
  assert.ok(tookMs < 15_000, `It took ${Math.round(tookMs)} ms.`);
  assert.ok(longestMs < 1_000, `The event loop stood still for ${Math.round(longestMs)} ms.`);
  other.exec('rollback');
  await writer.alone((statements) => statements.run('insert into t values (2)'));
  other.close();
  await writer.close();
  rmSync(directory, { recursive: true });
});
