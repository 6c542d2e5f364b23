import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DELIVERIES, deliver } from './fixtures/deliveries.ts';
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
  test('of the call: who, with the plus that Plivo leaves out', () => {
    assert.deepEqual(factsOf('answer').call, {
      callKey: CALL,
      direction: 'inbound',
      from: { kind: 'number', value: '+15551230001' },
      to: { kind: 'number', value: '+15551239999' },
    });
    assert.deepEqual(plivo.calledParty(deliver('answer')), { kind: 'number', value: '+15551239999' });
    assert.deepEqual(factsOf('answer', { From: 'anonymous' }).call?.from, { kind: 'anonymous', value: '' });
    assert.deepEqual(factsOf('answer', { From: 'sip:a@b.test' }).call?.from?.kind, 'sip');
    assert.equal(factsOf('outboundRinging').call?.direction, 'outbound');
    assert.equal(factsOf('outboundRinging').call?.from?.value, '+15551239999');
    assert.equal(plivo.accountIdOf(deliver('answer')), 'MAXXXXXXXXXXXXXXXXXX');
    assert.equal(plivo.accountIdOf(deliver('recordingStored')), null);
  });

  test('of its legs: each belongs to the call of the caller', () => {
    for (const name of ['legAnswered', 'legConnected', 'legHungUp', 'dialCompleted', 'message', 'hangup'])
      assert.equal(factsOf(name).call?.callKey, CALL, name);
    const leg = { CallUUID: LEG, DialALegUUID: CALL };
    assert.deepEqual(factsOf('legConnected', leg).call, { callKey: CALL, direction: null, from: null, to: null });
    const silent = { Direction: null, From: null, To: null };
    assert.deepEqual(factsOf('legHungUp', silent).call, { callKey: CALL, direction: null, from: null, to: null });
  });

  for (const [name, kind, legId] of [
    ['answer', 'ringing', null],
    ['legAnswered', 'forwarded', LEG],
    ['legConnected', 'bridged', LEG],
    ['legHungUp', 'forward_ended', LEG],
    ['dialCompleted', 'forward_ended', LEG],
    ['dialUnanswered', 'forward_ended', null],
    ['message', 'voicemail', null],
    ['messageStored', 'voicemail', null],
    ['hangup', 'ended', null],
    ['outboundRinging', 'ringing', null],
    ['outboundTaken', 'answered', null],
    ['outboundHangup', 'ended', null],
  ] as const)
    test(`${name} is ${kind}`, () => {
      const event = eventOf(name);
      assert.equal(event?.kind, kind);
      assert.equal(event?.legId, legId);
    });

  for (const [name, changes, reason] of [
    ['hangup', {}, 'completed'],
    ['hangup', { Duration: '0', HangupCause: 'ORIGINATOR_CANCEL' }, 'canceled'],
    ['hangup', { Duration: '0', HangupCause: 'CALL_REJECTED', HangupCauseCode: '3020' }, 'rejected'],
    ['hangup', { Duration: '0', HangupCause: null, HangupCauseCode: '3010' }, 'busy'],
    ['hangup', { Event: null }, 'completed'],
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

  test('that is not known is kept as it is', () => {
    const other = (...asked: Parameters<typeof factsOf>) => {
      const { kind, raw } = eventOf(...asked) ?? {};
      return { kind, raw };
    };
    assert.deepEqual(other('answer', { CallStatus: 'parked' }), { kind: 'other', raw: 'StartApp parked' });
    assert.deepEqual(other('machine'), { kind: 'other', raw: 'MachineDetection in-progress' });
    assert.deepEqual(other('legDigits'), { kind: 'other', raw: 'digits' });
    assert.deepEqual(other('legDigits', { DialAction: 'waltz' }), { kind: 'other', raw: 'waltz' });
    const ended = eventOf('hangup', { CallStatus: 'evaporated', HangupCause: 'MOON', HangupCauseCode: null });
    assert.deepEqual([ended?.kind, ended?.reason, ended?.raw], ['ended', 'unknown', 'MOON']);
    const dialed = eventOf('dialUnanswered', { DialStatus: 'constructor', DialHangupCause: null });
    assert.deepEqual([dialed?.reason, dialed?.raw, dialed?.reachedHuman], ['unknown', 'constructor', false]);
    assert.equal(eventOf('legHungUp', { DialBLegHangupCause: '', DialBLegHangupCauseCode: '8888' })?.raw, '8888');
  });

  test('of a person is certain: the call was put through', () => {
    assert.equal(eventOf('dialCompleted')?.reachedHuman, true);
    assert.equal(eventOf('dialCompleted', { DialBLegUUID: '' })?.reachedHuman, false);
    assert.equal(eventOf('dialCompleted', { DialBLegUUID: null })?.reachedHuman, false);
    assert.equal(eventOf('dialUnanswered', { DialBLegUUID: LEG })?.reachedHuman, false);
    assert.equal(eventOf('legHungUp')?.reachedHuman, undefined);
  });

  test('of durations is kept unless it is absurd', () => {
    assert.equal(eventOf('hangup')?.talkSeconds, 89);
    assert.equal(eventOf('legHungUp')?.talkSeconds, 62);
    for (const absurd of ['-1', '99999999', '', 'NaN', '1e400', null])
      assert.equal(eventOf('legHungUp', { DialBLegDuration: absurd })?.talkSeconds, undefined, String(absurd));
  });

  test('of durations is rounded to the nearest second', () => {
    const secondsOf = (DialBLegDuration: string) => eventOf('legHungUp', { DialBLegDuration })?.talkSeconds;
    assert.deepEqual(['61.4', '61.5', '61.9', '0.4'].map(secondsOf), [61, 62, 62, 0]);
  });

  test('to the dialled person who is asked for a key belongs to no call of its own', () => {
    const delivery = { ...deliver('answer'), target: '/api/webhooks/telephony/voice?account=a1&step=screen' };
    assert.deepEqual(plivo.factsOf(delivery, RECEIVED), { call: null, events: [], recordings: [] });
  });
});

describe('when it happened', () => {
  test('is told in UTC for the beginning, and in the zone of the account for the end', () => {
    assert.deepEqual([eventOf('answer')?.occurredAt, eventOf('answer')?.timeFrom], [NOON + 130, 'provider']);
    for (const name of ['hangup', 'hangupInIndia']) {
      assert.equal(eventOf(name)?.occurredAt, NOON + 90_000, name);
      assert.equal(eventOf(name)?.timeFrom, 'provider', name);
    }
  });

  test('is found for every zone', () => {
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

  test('is UTC where nothing tells the zone, and the time of receipt where that cannot be', () => {
    const blind = { SessionStart: null };
    assert.equal(eventOf('hangup', blind)?.occurredAt, NOON + 90_000);
    for (const changes of [
      { ...blind, EndTime: '2026-11-16 17:31:30' },
      { EndTime: '2026-13-45 99:99:99' },
      { EndTime: 'yesterday' },
      { EndTime: null },
    ]) {
      assert.equal(eventOf('hangup', changes)?.occurredAt, RECEIVED, JSON.stringify(changes));
      assert.equal(eventOf('hangup', changes)?.timeFrom, 'received');
    }
    assert.equal(
      eventOf('hangup', { EndTime: '2026-11-16T13:01:30+01:00', StartTime: null })?.occurredAt,
      NOON + 90_000,
    );
  });
});

describe('a recording', () => {
  const recordingOf = (...asked: Parameters<typeof factsOf>) => factsOf(...asked).recordings[0];

  test('has begun, is being stored, and is there', () => {
    assert.equal(recordingOf('recordingBegun')?.status, 'in_progress');
    assert.equal(recordingOf('recordingBegun')?.durationMs, null);
    assert.equal(recordingOf('message')?.status, 'in_progress');
    assert.deepEqual(recordingOf('messageStored'), {
      recordingId: '5b7f2c10-7d4e-11ef-9c1b-0242ac110004',
      status: 'available',
      callKey: CALL,
      startedAt: 1_794_830_430_000,
      durationMs: 17_200,
      channels: null,
      source: null,
      errorCode: null,
      mediaUrl:
        'https://media.plivo.com/v1/Account/MAXXXXXXXXXXXXXXXXXX/Recording/5b7f2c10-7d4e-11ef-9c1b-0242ac110004.mp3',
      mediaExpiresAt: null,
    });
    assert.equal(recordingOf('messageStored', { RecordUrl: null })?.status, 'available');
    assert.equal(recordingOf('messageStored', { RecordUrl: null, RecordFile: null })?.status, 'in_progress');
  });

  test('is of a call, which may have been named only when it began', () => {
    assert.equal(recordingOf('recordingBegun')?.callKey, CALL);
    assert.equal(recordingOf('recordingStored')?.callKey, null);
    assert.equal(factsOf('recordingStored').call, null);
  });

  test('says nothing of the call itself', () => {
    for (const name of ['recordingBegun', 'recordingStored']) assert.deepEqual(factsOf(name).events, [], name);
    assert.deepEqual(factsOf('recordingBegun', { CallStatus: 'completed', HangupCause: 'USER_BUSY' }).events, []);
  });

  test('has a length that is rounded', () => {
    const lengthOf = (changes: Record<string, string | null>) => recordingOf('recordingStored', changes)?.durationMs;
    assert.equal(lengthOf({ RecordingDurationMs: '17200.5' }), 17_201);
    assert.equal(lengthOf({ RecordingDurationMs: '17200.4' }), 17_200);
    assert.equal(lengthOf({ RecordingDurationMs: null, RecordingDuration: '17.6' }), 18_000);
  });

  test('has no absurd length or beginning', () => {
    const changes = { RecordingDurationMs: '99999999999999', RecordingDuration: '12', RecordingStartMs: '7' };
    assert.equal(recordingOf('recordingStored', changes)?.durationMs, 12_000);
    assert.equal(recordingOf('recordingStored', changes)?.startedAt, null);
    assert.equal(
      recordingOf('recordingStored', { RecordingDurationMs: null, RecordingDuration: 'x' })?.durationMs,
      null,
    );
  });

  test('of silence is no message', () => {
    assert.deepEqual(factsOf('message', { RecordingDuration: '0', RecordingDurationMs: '0' }).events, []);
  });
});

describe('a repetition', () => {
  test('has the same key, whatever its headers and its order', () => {
    for (const name of Object.keys(DELIVERIES)) {
      const delivery = deliver(name);
      const shuffled = Buffer.from(String(delivery.body).split('&').reverse().join('&'));
      const again = {
        ...delivery,
        body: shuffled,
        headers: { ...delivery.headers, 'x-plivo-signature-v3-nonce': '2' },
      };
      assert.equal(plivo.keyOf(again), plivo.keyOf(delivery), name);
      assert.deepEqual(
        plivo.factsOf(again, RECEIVED + 5_000).events.map(({ key }) => key),
        plivo.factsOf(delivery, RECEIVED).events.map(({ key }) => key),
      );
    }
  });

  test('of another fact has another key', () => {
    const keys = Object.keys(DELIVERIES).map((name) => plivo.keyOf(deliver(name)));
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(factsOf('message').events[0]?.key, factsOf('messageStored').events[0]?.key);
  });
});
