import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { CALLER, COLLEAGUE, newCallSid, OUR_NUMBER, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a call', (engine) => {
  const stage = useStage(() =>
    openTelephonyStage(engine, {
      answer: { greeting: 'Welcome.', forwardTo: [COLLEAGUE], ringSeconds: 15, voicemail: true },
    }),
  );

  test('that someone picks up is answered', async () => {
    const { line, calls } = await stage.newTeam();
    const sid = newCallSid();
    const reply = await line.rings(sid);
    assert.equal(reply.statusCode, 200);
    assert.match(reply.headers['content-type'] as string, /^text\/xml/);
    assert.match(reply.body, /<Say>Welcome\.<\/Say><Dial /);
    assert.match(reply.body, new RegExp(`<Number>\\${COLLEAGUE}</Number>`));
    stage.clock.advance(20_000);
    const over = await line.dialed(sid, 'completed', { DialCallDuration: '17', DialBridged: 'true' });
    assert.match(over.body, /<Hangup\/>/);
    const ended = await line.status(sid, 'completed', { CallDuration: '20' });
    assert.equal(ended.statusCode, 204);
    assert.equal(ended.body, '');
    const [call, ...others] = await calls();
    assert.deepEqual(others, []);
    assert.equal(call.externalId, sid);
    assert.equal(call.from, CALLER);
    assert.equal(call.to, OUR_NUMBER);
    assert.equal(call.status, 'ended');
    assert.equal(call.outcome, 'answered');
    assert.equal(call.talkSeconds, 17);
  });
});
