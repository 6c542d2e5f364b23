import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const NOISE = 1_100;
const AT_ONCE = 50;

onOneEngine('a call that an account reports on without end', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  test('keeps a few of its events, and is still seen being answered and ending', async () => {
    const { line, calls, get } = await stage.newTeam();
    const { database } = stage.app;
    const sid = newCallSid();
    await line.rings(sid);
    for (let sent = 0; sent < NOISE; sent += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, index) =>
        line.status(sid, 'ringing', { SequenceNumber: `${sent + index}` }),
      );
      for (const { statusCode } of await Promise.all(some)) assert.equal(statusCode, 204);
    }
    stage.clock.advance(60_000);
    await line.dialed(sid, 'completed', { DialCallSid: newCallSid(), DialCallDuration: '30', DialBridged: 'true' });
    await line.status(sid, 'completed', { SequenceNumber: `${NOISE}`, CallDuration: '60' });

    const [call] = await calls();
    assert.deepEqual([call.status, call.outcome, call.talkSeconds], ['ended', 'answered', 30]);
    const stored = await database.get<{ n: number }>('select count(*) as n from call_events');
    assert.ok(Number(stored?.n) < 250, `${stored?.n} events are stored`);
    const { events } = (await get(`/api/calls/${call.id}`)).json();
    assert.equal(events.length, Number(stored?.n), 'and all of them are shown');
    const left = await database.all("select id from deliveries where state <> 'processed'");
    assert.equal(left.length, 0, 'every delivery is done with');
  });
});
