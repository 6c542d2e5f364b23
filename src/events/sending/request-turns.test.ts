import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPace } from './pace.ts';
import { createEndpointTurns, type RequestTurn } from './request-turns.ts';

/** Takes turns, each for a different team by default. Returns the turns that were granted, in order. */
const takeMany = async (
  take: ReturnType<typeof createEndpointTurns>,
  count: number,
  teamId?: string,
  isSteady = true,
) => {
  const taken: RequestTurn[] = [];
  for (let index = 0; index < count; index++)
    void take(teamId ?? `team-${index}`, isSteady).then((turn) => taken.push(turn));
  await nextTurn();
  return taken;
};

describe('turns for requests', () => {
  test('are free again for others while receivers take long', async () => {
    const taken = await takeMany(createEndpointTurns(), 512 + 100);
    assert.equal(taken.length, 512);
    for (const turn of taken.slice(0, 100)) turn.stepAside();
    await nextTurn();
    assert.equal(taken.length, 512 + 100);
  });

  test('are limited all the same, for everybody and for one team', async () => {
    const taken = await takeMany(createEndpointTurns(), 3_000);
    for (const turn of taken) turn.stepAside();
    for (let round = 0; round < 10; round++) {
      await nextTurn();
      for (const turn of [...taken]) turn.stepAside();
    }
    assert.equal(taken.length, 512 + 2_048);
    const ofTeam = await takeMany(createEndpointTurns(), 100, 'team');
    for (let round = 0; round < 10; round++) {
      for (const turn of [...ofTeam]) turn.stepAside();
      await nextTurn();
    }
    assert.equal(ofTeam.length, 64);
  });

  test('go to those who wait once a response is there, also one that was aside', async () => {
    const taken = await takeMany(createEndpointTurns(), 70, undefined, false);
    assert.equal(taken.length, 64);
    const [first, second] = taken;
    first?.stepAside();
    first?.end();
    second?.end();
    await nextTurn();
    assert.equal(taken.length, 66);
  });

  test('of good receivers are not for one that is known to fail', () => {
    assert.equal(createPace(false).isSteady, true);
    const pace = createPace(true);
    assert.equal(pace.isSteady, false);
    pace.onAccepted();
    assert.equal(pace.isSteady, true);
  });
});
