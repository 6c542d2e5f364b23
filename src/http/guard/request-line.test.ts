import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRequestLine } from './request-line.ts';

const openLine = () => {
  const line = createRequestLine({ atOnce: { member: 2, team: 3 }, mostWaiting: { member: 3, team: 5 } });
  const begun: string[] = [];
  const gone = new Set<string>();
  return {
    begun,
    gone,
    enter: (userId: string, name: string, teamId = 'ours'): boolean =>
      line.enter({ teamId, userId }, { begin: () => begun.push(name), isGone: () => gone.has(name) }),
    async leave(userId: string, teamId = 'ours'): Promise<void> {
      line.leave({ teamId, userId });
      await nextTurn();
      await nextTurn();
    },
  };
};

test('a few requests of a member and of a team are in progress, and members take turns for the next', async () => {
  const { begun, enter, leave } = openLine();
  for (const name of ['a1', 'a2', 'a3', 'a4']) assert.ok(enter('ann', name));
  for (const name of ['b1', 'b2', 'b3']) assert.ok(enter('ben', name));
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  assert.ok(enter('ann', 'x1', 'theirs'));
  assert.deepEqual(begun.splice(0), ['a1', 'a2', 'b1', 'x1']);
  await leave('ann');
  assert.deepEqual(begun.splice(0), ['a3']);
  await leave('ann');
  assert.deepEqual(begun.splice(0), ['b2']);
  await leave('ben');
  assert.deepEqual(begun.splice(0), ['a4']);
  await leave('ben');
  assert.deepEqual(begun.splice(0), ['b3']);
});

test('a slot is free again in a later turn of the event loop, not in the same', async () => {
  const line = createRequestLine({ atOnce: { member: 2, team: 2 }, mostWaiting: { member: 9, team: 9 } });
  const ann = { teamId: 'ours', userId: 'ann' };
  let begun = 0;
  const begin = (): void => {
    begun++;
    line.leave(ann);
  };
  for (let count = 0; count < 6; count++) line.enter(ann, { begin, isGone: () => false });
  assert.equal(begun, 2);
  for (let turns = 0; begun < 6; turns++) {
    assert.ok(turns < 20, `${begun} have begun`);
    await nextTurn();
  }
});

test('requests that nobody waits for anymore never begin, and leave their place to others', async () => {
  const { begun, gone, enter, leave } = openLine();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) assert.ok(enter('ann', name));
  assert.equal(enter('ann', 'a6'), false, 'Three are waiting.');
  gone.add('a3').add('a4');
  assert.ok(enter('ann', 'a7'));
  await leave('ann');
  await leave('ann');
  assert.deepEqual(begun, ['a1', 'a2', 'a5', 'a7']);
});

test('a team has a limit, too', () => {
  const { enter } = openLine();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) assert.ok(enter('ann', name));
  for (const name of ['b1', 'b2', 'b3']) assert.ok(enter('ben', name));
  assert.equal(enter('cem', 'c1'), false, 'Five are waiting.');
  assert.ok(enter('cem', 'c1', 'theirs'));
});
