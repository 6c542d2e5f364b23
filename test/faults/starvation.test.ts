// Long work lets everyone else continue: while each of these runs on SQLite, which is synchronous, timers keep firing.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Secret } from '../../src/platform/index.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { extendKeyRing, parseKeyRing } from '../../src/vault/index.ts';
import { rotateKeys } from '../../src/vault/rotate-keys.ts';
import { storeUnprocessed } from '../harness/store-unprocessed.ts';
import { CALLER, newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { tellStory } from '../harness/telephony-stories.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const CALLS = 1_500;
/** Work that held the event loop to its end would let it turn once or twice. */
const LEAST_TURNS = 10;

/** How often the event loop turns while the work is in progress, however long it has to wait for a processor. */
const countTurns = async (work: () => Promise<unknown>): Promise<number> => {
  const before = performance.nodeTiming.uvMetricsInfo.loopCount;
  await work();
  return performance.nodeTiming.uvMetricsInfo.loopCount - before;
};

describe('during long work, the event loop turns', () => {
  const stage = useStage(() => openTelephonyStage('sqlite'));
  const team = prepare(() => stage.newTeam());

  before(async () => {
    const {
      team: { id: teamId },
      account,
    } = team;
    const [ringing] = tellStory('missed').chapters;
    assert.ok(ringing);
    const chapters = Array.from({ length: CALLS }, () => ({
      ...ringing,
      params: { ...ringing.params, CallSid: newCallSid() },
    }));
    await storeUnprocessed(stage.app, { teamId, id: account.id, accountId: account.accountId }, chapters);
    stage.clock.advance(60_000);
  });

  const expectTurns = async (work: () => Promise<unknown>): Promise<void> => {
    const turns = await countTurns(work);
    assert.ok(turns >= LEAST_TURNS, `It turned ${turns} times.`);
  };

  test('unprocessed deliveries', () => expectTurns(() => stage.app.telephony.context.processing.workOff()));

  test('a CSV of all calls', () =>
    expectTurns(async () => {
      const headers = { ...team.member.headers, accept: 'text/csv' };
      for (let time = 0; time < 3; time++) {
        const answer = await stage.server.inject({ url: '/api/calls', headers });
        assert.equal(answer.body.trim().split('\r\n').length, CALLS + 1);
      }
    }));

  test('a list that matches hardly any calls', () =>
    expectTurns(async () => {
      for (let time = 0; time < 1_500; time++) await team.get('/api/calls?outcome=busy');
    }));

  test('erasing a number', () =>
    expectTurns(async () => {
      // As a request, it would have fifteen seconds, whatever else the machine does.
      const erased = await stage.app.telephony.numbers.erase(team.team.id, COMMAND_LINE, CALLER);
      assert.equal(erased.calls, CALLS);
    }));

  test('rotating keys', () =>
    expectTurns(async () => {
      const { database, rings, vault } = stage.app;
      await database.transaction(async (tx) => {
        for (let count = 0; count < 1_000; count++) {
          const id = stage.app.newId();
          await tx.run('insert into teams (id, name, time_zone, payload_days, created_at) values ($1, $1, $2, 30, 1)', [
            id,
            'UTC',
          ]);
          await vault.addTeamKey(tx, id);
        }
      });
      const kept = rings.current().first;
      const ring = extendKeyRing(`${kept.id}:${kept.key.export().toString('base64')}`);
      await rotateKeys({ database, ring: parseKeyRing(new Secret(ring)) }, () => undefined);
    }));

  test('pruning', () =>
    expectTurns(async () => {
      stage.clock.advance(400 * 24 * 3_600_000);
      await handlePruneTelephony(stage.app.telephony.context)({}, { signal: new AbortController().signal });
    }));
});
