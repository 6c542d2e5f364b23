import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestLog } from '../../../test/harness/app.ts';
import { moveTime } from '../../../test/harness/move-time.ts';
import { type Database, DatabaseUnavailable, type Queries } from '../database/database.ts';
import { createPause } from './pause.ts';

const PAUSED = { at: 5, reason: 'Moving out.' };
const NOT_PAUSED = { at: null, reason: null };

type Row = typeof PAUSED | typeof NOT_PAUSED;

/** Starts a pause on a fake database that responds when the test tells it to. */
const startPause = (context: TestContext) => {
  const looks: PromiseWithResolvers<Row>[] = [];
  const get = (): Promise<Row> => {
    const look = Promise.withResolvers<Row>();
    looks.push(look);
    return look.promise;
  };
  const { log, lines } = createTestLog();
  const pause = createPause({ database: { get } as unknown as Database, log });
  return {
    pause,
    lines,
    time: moveTime(context),
    count: () => looks.length,
    answer: (row: Row) => looks.at(-1)?.resolve(row),
    fail: () => looks.at(-1)?.reject(new DatabaseUnavailable('away')),
  };
};

describe('whether the service is paused', () => {
  test('is looked up once a second at most, however many ask', async (context) => {
    const { pause, time, count, answer } = startPause(context);
    const first = [pause.read(), pause.read()];
    answer(NOT_PAUSED);
    assert.deepEqual(await Promise.all(first), [null, null]);
    time.pass(999);
    assert.equal(await pause.read(), null);
    assert.equal(count(), 1);
    time.pass(1);
    const second = [pause.read(), pause.read()];
    answer(PAUSED);
    assert.deepEqual(await Promise.all(second), [PAUSED, PAUSED]);
    assert.equal(count(), 2);
  });

  test('is not guessed while the database is unavailable: what was last known holds', async (context) => {
    const { pause, time, answer, fail } = startPause(context);
    const unknown = pause.read();
    fail();
    await assert.rejects(unknown, DatabaseUnavailable);
    const known = pause.read();
    answer(PAUSED);
    assert.deepEqual(await known, PAUSED);
    time.pass(1_000);
    const away = pause.read();
    fail();
    assert.deepEqual(await away, PAUSED);
    const back = pause.read();
    answer(NOT_PAUSED);
    assert.equal(await back, null);
  });

  test('is logged when it changes, and only then', async (context) => {
    const { pause, lines, time, answer } = startPause(context);
    for (const row of [NOT_PAUSED, PAUSED, PAUSED, NOT_PAUSED, NOT_PAUSED]) {
      const read = pause.read();
      answer(row);
      await read;
      time.pass(1_000);
    }
    const since = '1970-01-01T00:00:00.005Z';
    assert.deepEqual(lines, [
      { level: 'warn', message: 'the service is paused and contacts nobody', fields: { since, reason: 'Moving out.' } },
      { level: 'info', message: 'the service is no longer paused', fields: { since } },
    ]);
  });

  test('is what was last known while the database does not respond, and only the first waits a second', async (context) => {
    const { pause, time, count, answer } = startPause(context);
    const known = pause.read();
    answer(PAUSED);
    await known;
    for (let second = 0; second < 2; second++) {
      time.pass(1_000);
      const waiting = pause.read();
      time.pass(1_000);
      assert.deepEqual(await waiting, PAUSED);
      assert.deepEqual(await Promise.race([pause.read(), nextTurn('waits')]), PAUSED);
    }
    assert.equal(count(), 2, 'It is asked once.');
    answer(NOT_PAUSED);
    await nextTurn();
    assert.equal(await pause.read(), null);
  });

  test('is known at once to the process that changes it', async (context) => {
    const { pause, answer } = startPause(context);
    const queries = { run: async () => 1 } as unknown as Queries;
    const known = pause.read();
    answer(NOT_PAUSED);
    await known;
    await pause.set(queries, PAUSED);
    assert.deepEqual(await pause.read(), PAUSED);
    await assert.rejects(pause.check(), { code: 'service.paused' });
    await pause.set(queries, null);
    await pause.check();
  });
});
