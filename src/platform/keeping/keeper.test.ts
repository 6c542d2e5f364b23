import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createTestLog } from '../../../test/harness/app.ts';
import type { Journal } from './journal.ts';
import { createKeeper } from './keeper.ts';

const TURN_MS = 2_000;

/** Starts a keeper whose journal can't be read back the first few times. */
const startKeeper = async (context: TestContext, failures: number) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const { log, lines } = createTestLog();
  let reads = 0;
  const journal: Journal<string> = {
    append: async () => undefined,
    adopt: async () => undefined,
    close: async () => undefined,
    count: async () => 0,
    async ingest() {
      reads++;
      if (reads <= failures) throw new Error('not yet');
      return 1;
    },
  };
  const keeper = createKeeper(
    { log, store: async () => 'stored', storeAll: async () => undefined, describe: () => ({}) },
    journal,
  );
  await keeper.start();
  context.after(() => keeper.close());
  return {
    lines,
    reads: () => reads,
    async turn(): Promise<void> {
      context.mock.timers.tick(TURN_MS);
      await new Promise(setImmediate);
    },
  };
};

test('a journal whose first read-back fails is read again until it is done', async (context) => {
  const { turn, reads, lines } = await startKeeper(context, 2);
  for (const seen of [1, 2, 3]) {
    await turn();
    assert.equal(reads(), seen);
  }
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['warn', 'warn', 'info'],
  );
  await turn();
  assert.equal(reads(), 3, 'There is nothing left to read.');
});

test('what an earlier process left is read back on the first turn', async (context) => {
  const { turn, reads } = await startKeeper(context, 0);
  await turn();
  assert.equal(reads(), 1);
});
