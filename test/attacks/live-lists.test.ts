import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callRow } from '../../src/dashboard/calls/calls-table.ts';
import { createLiveCalls } from '../../src/dashboard/calls/live-calls.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** As many as one person may have open. */
const STREAMS = 6;
const REGION = { timeZone: 'Europe/Berlin', hourCycle: 'h23', callingCode: '49', now: 0 } as const;
const CALLS = 3;

onOneEngine('a live list that is open many times', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  test('is drawn once for every change, and not once for everyone who watches', async (context) => {
    const team = await stage.newTeam();
    let drawn = 0;
    const live = createLiveCalls(stage.app, (call, region) => {
      drawn++;
      return callRow(call, region);
    });
    context.after(live.close);
    const heard: string[] = [];
    const people = [team.admin, team.member];
    for (const { user } of people) {
      const { headers } = await openSession(stage, user);
      const [session] = (await stage.server.inject({ url: '/api/sessions', headers })).json().sessions;
      const viewer = { teamId: user.teamId, userId: user.id, sessionId: session.id };
      for (let count = 0; count < STREAMS; count++) {
        const index = heard.push('') - 1;
        live.open(viewer, stage.clock.now(), REGION).on('data', (text) => (heard[index] += text));
      }
      const openOneMore = () => live.open(viewer, stage.clock.now(), REGION);
      assert.throws(openOneMore, { status: 429, code: 'dashboard.too_many_streams' });
    }
    for (let count = 0; count < CALLS; count++) await team.line.rings(newCallSid());
    const calls = await team.calls();
    assert.equal(calls.length, CALLS);
    const isTold = (text: string): boolean => calls.every(({ id }: { id: string }) => text.includes(`id="call-${id}"`));
    await waitUntil('everyone has heard of every call', () => heard.every(isTold));
    // A call may have been seen before it was complete.
    assert.ok(drawn <= 2 * CALLS, `${drawn} rows were drawn for ${heard.length} lists.`);
  });
});
