import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { workFor } from '../turns/owner.ts';
import { createOutboundTurns } from './outbound-turns.ts';

test('the slot of a request that is aborted just as it gets one goes to the next', async () => {
  const waitForTurn = createOutboundTurns({ perOwner: 1, inTotal: 1 });
  const aborted = new AbortController();
  await workFor('team', async () => {
    const waiting = waitForTurn(aborted.signal);
    aborted.abort(new Error('aborted'));
    await assert.rejects(waiting, /aborted/);
    const next = waitForTurn(new AbortController().signal).then(() => 'begins');
    assert.equal(await Promise.race([next, nextTurn('waits')]), 'begins');
  });
});
