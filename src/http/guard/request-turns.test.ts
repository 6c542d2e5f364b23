import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRequestTurns } from './request-turns.ts';

test('a place is free again in a later turn of the event loop, not in the same', async () => {
  const take = createRequestTurns({ perMember: 2, perOwner: 2 });
  const ann = { teamId: 'ours', userId: 'ann' };
  let begun = 0;
  const begin = (end: () => void): void => {
    begun++;
    end();
  };
  for (let count = 0; count < 6; count++) {
    const turn = take(ann, () => false);
    if (turn instanceof Promise) void turn.then(begin);
    else begin(turn);
  }
  assert.equal(begun, 2);
  for (let turns = 0; begun < 6; turns++) {
    assert.ok(turns < 20, `${begun} have begun`);
    await nextTurn();
  }
});
