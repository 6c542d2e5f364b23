// Long work lets everyone else continue: while each of these runs on SQLite, which is synchronous, timers keep firing.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Secret } from '../../src/platform/index.ts';
import { COMMAND_LINE, recordAudit } from '../../src/teams/index.ts';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { extendKeyRing, parseKeyRing } from '../../src/vault/index.ts';
import { rotateKeys } from '../../src/vault/rotate-keys.ts';
import { storeUnprocessed } from '../harness/store-unprocessed.ts';
import { CALLER, newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { tellStory } from '../harness/telephony-stories.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const CALLS = 1_500;
const ENTRIES = 1_500;
/** Work that held the event loop to its end would let it turn once or twice. */
const LEAST_TURNS = 10;

const countTurns = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

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

  /**
   * Turns depend on time, so a fast machine needs more work for as many of them. Work that can be repeated is, up to
   * `most` times: enough of it for several times as many turns.
   */
  const expectTurns = async (work: () => Promise<unknown>, most = 1): Promise<void> => {
    const before = countTurns();
    for (let time = 0; time < most && countTurns() - before < LEAST_TURNS; time++) await work();
    const turns = countTurns() - before;
    assert.ok(turns >= LEAST_TURNS, `It turned ${turns} times.`);
  };

  test('unprocessed deliveries', () => expectTurns(() => stage.app.telephony.context.processing.workOff()));

  test('a CSV of all calls', () =>
    expectTurns(async () => {
      const headers = { ...team.member.headers, accept: 'text/csv' };
      const answer = await stage.server.inject({ url: '/api/calls', headers });
      assert.equal(answer.body.trim().split('\r\n').length, CALLS + 1);
    }, 50));

  test('a CSV of the audit log', async () => {
    const { id } = team.team;
    await stage.app.database.transaction(async (tx) => {
      for (let entry = 0; entry < ENTRIES; entry++)
        await recordAudit(stage.app, tx, id, COMMAND_LINE, { action: 'made.up' });
    });
    await expectTurns(async () => {
      const headers = { ...team.member.headers, accept: 'text/csv' };
      const answer = await stage.server.inject({ url: '/api/audit?what=made.up', headers });
      assert.equal(answer.body.trim().split('\r\n').length, ENTRIES + 1);
    }, 50);
  });

  test('a list that matches hardly any calls', () => expectTurns(() => team.get('/api/calls?outcome=busy'), 6_000));

  test('erasing a number', () =>
    expectTurns(async () => {
      // As a request, it would have fifteen seconds, whatever else the machine does.
      const erased = await stage.app.telephony.numbers.erase(team.team.id, COMMAND_LINE, CALLER);
      assert.equal(erased.calls, CALLS);
    }));

  test('rotating keys', async () => {
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
    let ring = `${kept.id}:${kept.key.export().toString('base64')}`;
    await expectTurns(async () => {
      ring = extendKeyRing(ring);
      await rotateKeys({ database, ring: parseKeyRing(new Secret(ring)) }, () => undefined);
    }, 10);
  });

  test('pruning', () =>
    expectTurns(async () => {
      stage.clock.advance(400 * 24 * 3_600_000);
      await handlePruneTelephony(stage.app.telephony.context)({}, { signal: new AbortController().signal });
    }));
});
