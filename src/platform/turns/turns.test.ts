import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { moveTime } from '../../../test/harness/move-time.ts';
import { OWN } from './owner.ts';
import { createTurns, type EndTurn, type TurnLimits } from './turns.ts';

const PATIENCE_MS = 2_000;

/** Records which callers have begun, in order. A caller's work lasts until `end`. */
const openTurns = (limits: TurnLimits) => {
  const turns = createTurns(limits);
  const begun: string[] = [];
  const ends = new Map<string, EndTurn>();
  const gone = new Set<string>();
  const begin = (name: string, end: EndTurn): void => {
    begun.push(name);
    ends.set(name, end);
  };
  return {
    turns,
    begun,
    gone,
    /** Resolves when the turn has begun. */
    async take(name: string, owner: string, member?: string): Promise<void> {
      const turn = turns.take({ owner, ...(member !== undefined && { member }) }, () => gone.has(name));
      begin(name, turn instanceof Promise ? await turn : turn);
    },
    async end(...names: string[]): Promise<void> {
      for (const name of names) ends.get(name)?.();
      await nextTurn();
    },
  };
};

describe('turns', () => {
  test('for each owner are limited, first come, first served', async () => {
    const { take, end, begun } = openTurns({ perOwner: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take(name, 'a');
    void take('b1', 'b');
    assert.deepEqual(begun, ['a1', 'a2', 'b1']);
    await end('b1');
    assert.deepEqual(begun, ['a1', 'a2', 'b1'], 'The end of another owner frees nothing.');
    await end('a2');
    assert.deepEqual(begun.slice(3), ['a3']);
    await end('a1', 'a3');
    assert.deepEqual(begun.slice(4), ['a4']);
  });

  test('go to the owners in rotation', async () => {
    const { turns, take, end, begun } = openTurns({ atOnce: 1 });
    for (const name of ['a1', 'a2', 'a3']) void take(name, 'a');
    for (const name of ['b1', 'b2']) void take(name, 'b');
    void take('c1', 'c');
    assert.equal(turns.waiting, 5);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    assert.equal(turns.waiting, 0);
  });

  test('go to the service itself every second time', async () => {
    const { take, end, begun } = openTurns({ atOnce: 1 });
    void take('first', 'a');
    for (const name of ['a1', 'a2', 'a3']) void take(name, 'a');
    for (const name of ['own1', 'own2']) void take(name, OWN);
    for (const name of ['first', 'own1', 'a1', 'own2', 'a2', 'a3']) await end(name);
    assert.deepEqual(begun, ['first', 'own1', 'a1', 'own2', 'a2', 'a3']);
  });

  test('go to the members of an owner in rotation, each with a limit', async () => {
    const { take, end, begun } = openTurns({ perOwner: 3, perMember: 2 });
    for (const name of ['ann1', 'ann2', 'ann3', 'ann4']) void take(name, 'ours', 'ann');
    for (const name of ['ben1', 'ben2', 'ben3']) void take(name, 'ours', 'ben');
    void take('x1', 'theirs', 'ann');
    assert.deepEqual(begun.splice(0), ['ann1', 'ann2', 'ben1', 'x1']);
    for (const [ended, next] of [
      ['ann1', 'ann3'],
      ['ann2', 'ben2'],
      ['ben1', 'ann4'],
      ['ben2', 'ben3'],
    ] as const) {
      await end(ended);
      assert.deepEqual(begun.splice(0), [next]);
    }
  });

  test('pass over an owner at its limit, and come back to it', async () => {
    const { take, end, begun } = openTurns({ atOnce: 2, perOwner: 1 });
    for (const name of ['a1', 'a2']) void take(name, 'a');
    for (const name of ['b1', 'b2']) void take(name, 'b');
    assert.deepEqual(begun.splice(0), ['a1', 'b1']);
    await end('b1');
    assert.deepEqual(begun.splice(0), ['b2']);
    await end('a1', 'b2');
    assert.deepEqual(begun.splice(0), ['a2']);
  });

  test('are passed on when work fails, and end only once', async () => {
    const { turns, take, end, begun } = openTurns({ perOwner: 1 });
    await assert.rejects(
      turns.run({ owner: 'a' }, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    for (const name of ['a1', 'a2', 'a3']) void take(name, 'a');
    await end('a1', 'a1', 'a1');
    assert.deepEqual(begun, ['a1', 'a2']);
  });

  test('are refused when too many wait, of a member or of an owner', async () => {
    const refuse = () => new Error('too many');
    const { turns, take, gone } = openTurns({ perOwner: 1, mostWaiting: { perMember: 2, perOwner: 3 }, refuse });
    for (const name of ['a1', 'a2', 'a3']) void take(name, 'ours', 'ann');
    await assert.rejects(take('a4', 'ours', 'ann'), /too many/);
    void take('b1', 'ours', 'ben');
    await assert.rejects(take('c1', 'ours', 'cem'), /too many/);
    void take('x1', 'theirs', 'cem');
    assert.equal(turns.waiting, 3);
    gone.add('a2');
    // Rejects if there is no room.
    await Promise.race([take('c2', 'ours', 'cem'), nextTurn()]);
    assert.equal(turns.waiting, 3, 'Someone who has left makes room.');
  });

  test('never begin for those who have left', async () => {
    const { take, end, begun, gone } = openTurns({ perOwner: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take(name, 'a');
    gone.add('a2').add('a3');
    await end('a1');
    assert.deepEqual(begun, ['a1', 'a4']);
  });

  test('are refused after too long a wait, and then taken from nobody', async (context) => {
    const time = moveTime(context);
    const refuse = () => new Error('too long');
    const { take, end, begun } = openTurns({ perOwner: 1, patienceMs: PATIENCE_MS, refuse });
    await take('first', 'a');
    const refused = assert.rejects(take('too late', 'a'), /too long/);
    time.pass(PATIENCE_MS);
    await refused;
    void take('next', 'a');
    await end('first');
    assert.deepEqual(begun, ['first', 'next']);
  });

  test('that are free can be had without waiting, others not at all', async () => {
    const { turns } = openTurns({ atOnce: 3, perOwner: 2, perMember: 1 });
    const [ann, ben, cem] = ['ann', 'ben', 'cem'].map((member) => ({ owner: 'ours', member }));
    assert.ok(ann && ben && cem);
    const end = turns.tryTake(ann);
    assert.ok(end);
    assert.equal(turns.tryTake(ann), null);
    assert.ok(turns.tryTake(ben));
    assert.equal(turns.tryTake(cem), null);
    assert.ok(turns.tryTake({ owner: 'theirs' }));
    end();
    assert.ok(turns.tryTake(cem));
    assert.equal(turns.tryTake({ owner: 'others' }), null);
  });
});
