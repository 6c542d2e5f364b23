import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DELIVERIES, deliver } from '../../../../test/harness/vendors/plivo.ts';
import { plivo } from './index.ts';

const NOON = Date.parse('2026-11-16T12:00:00Z');
const RECEIVED = NOON + 120_000;
const CALL = '3f0c1a52-7d4e-11ef-9c1b-0242ac110004';
const LEG = '41aa9be0-7d4e-11ef-9c1b-0242ac110004';

const factsOf = (name: string, changes: Record<string, string | null> = {}, receivedAt = RECEIVED) =>
  plivo.factsOf(deliver(name, changes), receivedAt);
const eventOf = (...asked: Parameters<typeof factsOf>) => {
  const { events } = factsOf(...asked);
  assert.equal(events.length, 1);
  return events[0];
};

describe('what a delivery says', () => {
  test('names callers who are anonymous, use SIP, or are called', () => {
    assert.deepEqual(factsOf('answer', { From: 'anonymous' }).call?.from, { kind: 'anonymous', value: '' });
    assert.deepEqual(factsOf('answer', { From: 'sip:a@b.test' }).call?.from?.kind, 'sip');
    assert.equal(factsOf('outboundRinging').call?.direction, 'outbound');
    assert.equal(factsOf('outboundRinging').call?.from?.value, '+15551239999');
  });

  test("counts every leg as part of the caller's call", () => {
    for (const name of ['legAnswered', 'legConnected', 'legHungUp', 'dialCompleted', 'message', 'hangup'])
      assert.equal(factsOf(name).call?.callKey, CALL, name);
  });

  for (const [name, changes, reason] of [
    ['hangup', {}, 'completed'],
    ['hangup', { Duration: '0', HangupCause: 'ORIGINATOR_CANCEL' }, 'canceled'],
    ['hangup', { Duration: '0', HangupCause: 'CALL_REJECTED', HangupCauseCode: '3020' }, 'rejected'],
    ['hangup', { Duration: '0', HangupCause: null, HangupCauseCode: '3010' }, 'busy'],
    ['hangup', { Event: null }, 'completed'],
    ['outboundHangup', {}, 'completed'],
    ['outboundBusy', {}, 'busy'],
    ['outboundBusy', { CallStatus: 'timeout', HangupCause: null, HangupCauseCode: null }, 'no_answer'],
    ['outboundBusy', { CallStatus: 'no-answer', HangupCause: null, HangupCauseCode: null }, 'no_answer'],
    ['outboundBusy', { CallStatus: 'failed', HangupCause: null, HangupCauseCode: '5020' }, 'failed'],
    ['outboundBusy', { CallStatus: 'cancel', HangupCause: null, HangupCauseCode: null }, 'canceled'],
    ['legUnanswered', {}, 'no_answer'],
    ['legWithoutKey', {}, 'no_answer'],
    ['legCanceled', {}, 'canceled'],
    ['legTooSlow', {}, 'canceled'],
    ['legHungUp', { DialBLegHangupCauseCode: null }, 'completed'],
    ['dialBusy', {}, 'busy'],
    ['dialBusy', { DialHangupCause: 'CALL_REJECTED' }, 'rejected'],
    ['dialUnanswered', { DialStatus: 'timeout', DialHangupCause: null }, 'no_answer'],
    ['dialUnanswered', { DialStatus: 'failed', DialHangupCause: 'UNALLOCATED_NUMBER' }, 'failed'],
    ['dialCanceled', {}, 'canceled'],
  ] as const)
    test(`${name} ${JSON.stringify(changes)} ended: ${reason}`, () => {
      assert.equal(eventOf(name, changes)?.reason, reason);
    });

  test('keeps an unknown end of a leg', () => {
    assert.equal(eventOf('legHungUp', { DialBLegHangupCause: '', DialBLegHangupCauseCode: '8888' })?.raw, '8888');
  });

  test('has reached a person only if the call was connected', () => {
    assert.equal(eventOf('dialCompleted', { DialBLegUUID: '' })?.reachedHuman, false);
    assert.equal(eventOf('dialCompleted', { DialBLegUUID: null })?.reachedHuman, false);
    assert.equal(eventOf('dialUnanswered', { DialBLegUUID: LEG })?.reachedHuman, false);
    assert.equal(eventOf('legHungUp')?.reachedHuman, undefined);
  });

  test('drops absurd durations, and rounds to the nearest second', () => {
    for (const absurd of ['-1', '99999999', '', 'NaN', '1e400', null])
      assert.equal(eventOf('legHungUp', { DialBLegDuration: absurd })?.talkSeconds, undefined, String(absurd));
    const secondsOf = (DialBLegDuration: string) => eventOf('legHungUp', { DialBLegDuration })?.talkSeconds;
    assert.deepEqual(['61.4', '61.5', '61.9', '0.4'].map(secondsOf), [61, 62, 62, 0]);
  });

  test('finds the time of the end in every zone', () => {
    fc.assert(
      fc.property(fc.integer({ min: -48, max: 56 }), fc.integer({ min: 0, max: 6 }), (quarters, minutes) => {
        const local = (instant: number) => new Date(instant + quarters * 900_000).toISOString().slice(0, 19);
        const changes = {
          SessionStart: new Date(NOON).toISOString().slice(0, 23).replace('T', ' '),
          StartTime: local(NOON + minutes * 60_000).replace('T', ' '),
          EndTime: local(NOON + 3_600_000).replace('T', ' '),
        };
        assert.equal(eventOf('hangup', changes, NOON + 3_601_000)?.occurredAt, NOON + 3_600_000);
      }),
    );
  });
});

describe('a repetition', () => {
  test('has the same key, whatever its nonce and order', () => {
    for (const name of Object.keys(DELIVERIES)) {
      const delivery = deliver(name);
      const again = {
        ...delivery,
        body: Buffer.from(String(delivery.body).split('&').reverse().join('&')),
        headers: { ...delivery.headers, 'x-plivo-signature-v3-nonce': '2' },
      };
      assert.equal(plivo.keyOf(again), plivo.keyOf(delivery), name);
      assert.deepEqual(
        plivo.factsOf(again, RECEIVED + 5_000).events.map(({ key }) => key),
        plivo.factsOf(delivery, RECEIVED).events.map(({ key }) => key),
      );
    }
  });

  test('of a message is still one message', () => {
    assert.equal(factsOf('message').events[0]?.key, factsOf('messageStored').events[0]?.key);
  });
});
