import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { moveTime } from '../../../test/harness/move-time.ts';
import { createCallerTurns } from './caller-turns.ts';

const MOST_WAIT_MS = 2_000;
const WHOSE = { teamId: 'team', userId: 'user' };

test('whoever has waited too long is refused, and takes no turn from those who come later', async (context) => {
  const time = moveTime(context);
  const inTurn = createCallerTurns({
    ...{ perMember: 1, perOwner: 1, mostWaiting: { perMember: 2, perOwner: 2 }, patienceMs: MOST_WAIT_MS },
    refuse: () => new Error('too long'),
  });
  const begun: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) =>
    inTurn(WHOSE, async () => {
      begun.push(name);
      await until;
    });
  const working = work('first', first.promise);
  const refused = assert.rejects(work('too late'), { message: 'too long' });
  time.pass(MOST_WAIT_MS);
  await refused;
  first.resolve();
  await working;
  void work('next');
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(begun, ['first', 'next']);
});
