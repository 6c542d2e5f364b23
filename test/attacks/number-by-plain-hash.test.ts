import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { openLine, send, senderOf } from '../harness/telephony-senders.ts';
import { COLLEAGUE, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a number that a call is forwarded to', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const openForwarded = async () => {
    const sender = senderOf('plivo');
    const line = await openLine(stage, sender, { answer: { forwardTo: [COLLEAGUE] } });
    const callId = sender.newCallId();
    await send(stage, line.honest(sender.rings(line.accountId, callId)));
    const fields = {
      ParentAuthID: line.accountId,
      CallUUID: callId,
      DialALegUUID: callId,
      DialAction: 'hangup',
      DialBLegTo: COLLEAGUE,
      DialBLegHangupCause: 'NO_ANSWER',
    };
    const hangUp = () => send(stage, line.honest({ route: 'voice', step: 'status', fields }));
    const teamId = line.team.admin.user.teamId;
    const listKeys = async () =>
      (
        await stage.app.database.all<{ event_key: string }>('select event_key from call_events where team_id = $1', [
          teamId,
        ])
      ).map((row) => row.event_key);
    return { hangUp, listKeys };
  };

  test('is in no key of an event, not even as a hash', async () => {
    const { hangUp, listKeys } = await openForwarded();
    assert.equal((await hangUp()).statusCode, 200);
    await stage.app.telephony.settle();
    const keys = await listKeys();
    assert.ok(keys.some((key) => key.includes(' leg ')));
    for (const number of [COLLEAGUE, COLLEAGUE.slice(1)])
      for (const guess of [number, hash('sha256', number, 'hex')])
        assert.deepEqual(
          keys.filter((key) => key.includes(guess)),
          [],
        );
  });
});
