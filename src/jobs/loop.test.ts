import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestLog } from '../../test/harness/app.ts';
import { createLoop } from './loop.ts';

const REST_MS = 500;

/** Starts a loop whose turns end only when the test says so, and whose rests end only when time passes. */
const startLoop = (context: TestContext) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { log, lines } = createTestLog();
  const turns: PromiseWithResolvers<void>[] = [];
  const loop = createLoop(
    log,
    'Sweeping',
    () => {
      const turn = Promise.withResolvers<void>();
      turns.push(turn);
      return turn.promise;
    },
    REST_MS,
  );
  loop.start();
  return {
    loop,
    lines,
    begun: () => turns.length,
    async end(error?: Error): Promise<void> {
      if (error) turns.at(-1)?.reject(error);
      else turns.at(-1)?.resolve();
      await nextTurn();
    },
    async rest(): Promise<void> {
      context.mock.timers.tick(REST_MS);
      await nextTurn();
    },
  };
};

describe('a loop', () => {
  test('takes its next turn after a rest, or as soon as it is woken', async (context) => {
    const { loop, begun, end, rest } = startLoop(context);
    await end();
    assert.equal(begun(), 1);
    await rest();
    assert.equal(begun(), 2);
    await end();
    loop.wake();
    await nextTurn();
    assert.equal(begun(), 3);
  });

  test('that is woken during a turn takes the next one without a rest, once', async (context) => {
    const { loop, begun, end } = startLoop(context);
    loop.wake();
    loop.wake();
    await end();
    assert.equal(begun(), 2);
    await end();
    assert.equal(begun(), 2);
  });

  test('that is woken during a turn that fails rests all the same', async (context) => {
    const { loop, begun, end, rest } = startLoop(context);
    loop.wake();
    await end(new Error('no'));
    assert.equal(begun(), 1);
    await rest();
    assert.equal(begun(), 2);
  });

  test('logs the first failure of a series, and its end', async (context) => {
    const { lines, end, rest } = startLoop(context);
    for (const error of [new Error('no'), new Error('still no'), undefined, undefined, new Error('again')]) {
      await end(error);
      await rest();
    }
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['error', 'info', 'error'],
    );
  });

  test('that is stopped ends with its turn, without a rest, and takes no other', async (context) => {
    const { loop, begun, end, rest } = startLoop(context);
    let isOver = false;
    const stopped = loop.stop().then(() => {
      isOver = true;
    });
    await nextTurn();
    assert.equal(isOver, false);
    await end();
    await stopped;
    loop.wake();
    await rest();
    assert.equal(begun(), 1);
  });
});
