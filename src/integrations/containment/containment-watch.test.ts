import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestLog } from '../../../test/harness/app.ts';
import { type Database, DatabaseUnavailable } from '../../platform/index.ts';
import { createContainmentWatch } from './containment-watch.ts';

const CONSENT = { id: 'connection', teamId: 'team', provider: 'acme', connectedAt: 1 };

/** A watch over a database that answers as the test says. */
const startWatch = (context: TestContext) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  let looks = 0;
  let answer: () => Promise<object[]> = async () => [];
  const allFrom = () => {
    looks++;
    return answer();
  };
  const { log, lines } = createTestLog();
  const watch = createContainmentWatch({ database: { allFrom } as unknown as Database, log });
  return {
    ...watch,
    lines,
    countLooks: () => looks,
    answerWith(next: typeof answer): void {
      answer = next;
    },
    /** Moves time in steps, so that each timer sets the next one. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 100) {
        now += 100;
        context.mock.timers.tick(100);
        for (let turn = 0; turn < 5; turn++) await nextTurn();
      }
    },
  };
};

describe('requests at providers', () => {
  test('are watched while there are any, and not after that', async (context) => {
    const watch = startWatch(context);
    await watch.pass(1_000);
    assert.equal(watch.countLooks(), 0);
    const { signal, end } = watch.watch(CONSENT, null);
    await watch.pass(2_000);
    assert.ok(watch.countLooks() >= 4);
    end();
    await watch.pass(1_000);
    const after = watch.countLooks();
    await watch.pass(5_000);
    assert.equal(watch.countLooks(), after);
    assert.equal(signal.aborted, false);
  });

  test('end within a second of a containment, and only those that are contained', async (context) => {
    const watch = startWatch(context);
    const concerned = watch.watch(CONSENT, null);
    const other = watch.watch({ ...CONSENT, connectedAt: 2 }, null);
    await watch.pass(1_000);
    watch.answerWith(async () => [{ place: 0 }]);
    await watch.pass(900);
    assert.deepEqual([concerned.signal.aborted, other.signal.aborted], [true, false]);
    concerned.end();
    other.end();
  });

  for (const [how, fail] of [
    ['fails', () => Promise.reject(new DatabaseUnavailable('away'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ] as const)
    test(`end if the database ${how} for five seconds, and not before`, async (context) => {
      const watch = startWatch(context);
      const { signal, end } = watch.watch(CONSENT, null);
      await watch.pass(1_000);
      watch.answerWith(fail);
      await watch.pass(4_000);
      assert.equal(signal.aborted, false);
      watch.answerWith(how === 'fails' ? fail : async () => []);
      await watch.pass(2_500);
      assert.equal(signal.aborted, true);
      assert.deepEqual(
        watch.lines.map(({ level }) => level),
        ['error'],
      );
      end();
    });
});
