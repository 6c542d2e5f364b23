import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { waitUntil } from '../../../../test/harness/wait-until.ts';
import { workFor } from '../../turns/owner.ts';
import { DatabaseUnavailable } from '../database.ts';
import { createSqliteScanner } from './sqlite-scanner.ts';

const LONG_MS = 120_000;
const countTo = (most: number): string =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${most}) select count(*) from n`;
const ENDLESS = countTo(2_000_000_000);

describe('long reads on SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-scanner-'));
  const path = join(directory, 'file.db');
  let scanner: ReturnType<typeof createSqliteScanner>;
  let seen: ChildProcess[] = [];
  let most = 0;

  const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;
  /** The processes that read this file. Other tests in this process start others. */
  const started = (): ChildProcess[] => seen.filter(({ spawnargs }) => spawnargs.includes(path));
  const countRunning = (): number => started().filter(isRunning).length;
  const noteStart = (message: unknown): void => {
    seen.push((message as { process: ChildProcess }).process);
    // The new process has no arguments until the next microtask.
    queueMicrotask(() => {
      most = Math.max(most, countRunning());
    });
  };
  const read = (owner: string, text = 'select 1') => workFor(owner, () => scanner.scan(text, [], LONG_MS));
  const rejects = (reading: Promise<unknown>) => assert.rejects(reading, DatabaseUnavailable);

  before(() => {
    new DatabaseSync(path).close();
    subscribe('child_process', noteStart);
  });
  after(() => {
    unsubscribe('child_process', noteStart);
    rmSync(directory, { recursive: true });
  });
  beforeEach(() => {
    seen = [];
    most = 0;
    scanner = createSqliteScanner(path, { idleMs: 50 });
  });
  afterEach(() => scanner.close());

  test('200 teams at the same moment are served by two processes', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, team) => read(`team ${team}`)));
    assert.equal(started().length, 2);
  });

  test('a team has one read at a time, and one that never ends delays only itself', async () => {
    const greedy = Promise.all(Array.from({ length: 5 }, () => rejects(read('greedy', ENDLESS))));
    for (const team of ['b', 'c', 'd']) assert.deepEqual(await read(team), [[1]]);
    assert.equal(started().length, 2);
    assert.equal(countRunning(), 2);
    scanner.close();
    await greedy;
  });

  test('a read that nobody waits for anymore is ended, and its process with it', async () => {
    let isLeft = false;
    const work = { owner: 'leaving', isAbandoned: () => isLeft, stepAside: () => undefined };
    const reads = Array.from({ length: 3 }, () => workFor(work, () => scanner.scan(ENDLESS, [], LONG_MS)));
    const gone = Promise.all(reads.map((one) => assert.rejects(one, { code: 'http.caller_gone' })));
    const [first] = started();
    isLeft = true;
    await gone;
    if (first && isRunning(first)) await once(first, 'exit');
    assert.equal(first?.signalCode, 'SIGKILL');
    assert.deepEqual(await read('leaving'), [[1]]);
  });

  test('a process that dies fails the read it had, and the next read gets a new one', async () => {
    await read('a');
    const failed = rejects(read('a', ENDLESS));
    const next = read('a');
    started()[0]?.kill('SIGKILL');
    await failed;
    assert.deepEqual(await next, [[1]]);
    assert.equal(started().length, 2);
  });

  test('a process that hangs is ended after the time limit', async () => {
    await read('a');
    started()[0]?.kill('SIGSTOP');
    await rejects(workFor('a', () => scanner.scan('select 1', [], 20)));
    assert.deepEqual(await read('a'), [[1]]);
    assert.equal(started().length, 2);
  });

  test('a process that was ended counts until it is gone, so there are never more than two', async () => {
    const teams = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(teams.map((team) => rejects(workFor(team, () => scanner.scan(ENDLESS, [], 1)))));
    assert.equal(started().length, teams.length);
    assert.equal(most, 2);
  });

  test('a signal to stop, which its whole group gets, lets the read finish', async () => {
    await read('a');
    const reading = read('a', countTo(300_000));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) started()[0]?.kill(signal);
    assert.deepEqual(await reading, [[300_000]]);
    assert.deepEqual(await read('a'), [[1]]);
    assert.equal(started().length, 1);
  });

  test('paused reads begin only when they are resumed, after those in progress have ended', async () => {
    await read('a');
    const order: string[] = [];
    const first = read('a', countTo(300_000)).then(() => order.push('first'));
    const quiet = scanner.pause().then(() => order.push('quiet'));
    const others = ['a', 'b'].map((team) => read(team).then(() => order.push(team)));
    await Promise.all([first, quiet]);
    assert.equal(countRunning(), 1);
    order.push('resumed');
    scanner.resume();
    await Promise.all(others);
    assert.deepEqual(order.slice(0, 3).toSorted(), ['first', 'quiet', 'resumed']);
    assert.equal(order[2], 'resumed');
  });

  test('the second process ends when it is idle, and the first one stays', async () => {
    await Promise.all([read('a'), read('b')]);
    assert.equal(started().length, 2);
    await waitUntil('one has ended', () => countRunning() === 1);
    await Promise.all([read('a'), read('b')]);
    assert.equal(started().length, 3);
  });
});
