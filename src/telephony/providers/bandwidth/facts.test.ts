import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ADDRESSES,
  at,
  CALL,
  deliver,
  eventOf,
  factsOf,
  LEG,
  type Name,
  type Payload,
  payloads,
  RECEIVED,
  screened,
} from './fixtures/deliver.ts';
import { bandwidth } from './index.ts';

describe('what a delivery says', () => {
  test('a call comes in', () => {
    const { call, events, recordings } = factsOf(deliver('initiate'));
    assert.deepEqual(call, {
      callKey: CALL,
      direction: 'inbound',
      from: { kind: 'number', value: '+15551230100' },
      to: { kind: 'number', value: '+15551230200' },
    });
    assert.deepEqual(events, [
      {
        key: `${CALL} initiate 2026-11-16T12:00:00.120Z`,
        kind: 'initiated',
        occurredAt: at('12:00:00.000'),
        timeFrom: 'provider',
        legId: null,
      },
    ]);
    assert.deepEqual(recordings, []);
  });

  test('what happens to a leg belongs to the call that came in', () => {
    for (const name of ['transferAnswer', 'keyPressed', 'legTalked'] as const) {
      const { call } = factsOf(deliver(name));
      assert.deepEqual(call, { callKey: CALL, direction: null, from: null, to: null });
      assert.equal(eventOf(deliver(name))?.legId, LEG);
    }
  });

  test('what is left out of the call is not known, and a caller may hide', () => {
    const { call } = factsOf(deliver('initiate', { from: 'Restricted', to: undefined, direction: 'sideways' }));
    assert.deepEqual(call, { callKey: CALL, direction: null, from: { kind: 'anonymous', value: '' }, to: null });
  });

  test('who picks up may be a machine, and who presses a key is a person', () => {
    assert.equal(eventOf(deliver('transferAnswer'))?.kind, 'forwarded');
    assert.equal(eventOf(deliver('keyPressed'))?.kind, 'bridged');
    assert.deepEqual(factsOf(deliver('noKeyPressed')).events, []);
    assert.deepEqual(factsOf(deliver('keyPressed', {}, '/voice?account=a1')).events, []);
    assert.deepEqual(factsOf(deliver('keyPressed', { parentCallId: null })).events, []);
  });

  test('a leg that was answered has talked, unless it was asked for a key', () => {
    const talked = eventOf(deliver('legTalked'));
    assert.deepEqual(
      [talked?.kind, talked?.reason, talked?.reachedHuman, talked?.talkSeconds],
      ['forward_ended', 'completed', true, 65],
    );
    const asked = eventOf(screened('legTalked'));
    assert.deepEqual([asked?.reason, asked?.reachedHuman, asked?.talkSeconds], ['completed', false, undefined]);
    assert.equal(eventOf(deliver('legTalked', { answerTime: undefined }))?.reachedHuman, false);
    assert.equal(eventOf(deliver('legTalked', { cause: 'cancel' }))?.reachedHuman, false);
  });

  for (const [cause, reason] of [
    ['hangup', 'completed'],
    ['busy', 'busy'],
    ['timeout', 'no_answer'],
    ['cancel', 'canceled'],
    ['rejected', 'rejected'],
    ['callback-error', 'failed'],
    ['invalid-bxml', 'failed'],
    ['application-error', 'failed'],
    ['account-limit', 'failed'],
    ['node-capacity-exceeded', 'failed'],
    ['error', 'failed'],
    ['unknown', 'unknown'],
  ] as const)
    test(`an end by "${cause}"`, () => {
      for (const name of ['disconnect', 'legTimedOut', 'transferTimedOut'] as const) {
        const event = eventOf(deliver(name, { cause }));
        assert.equal(event?.reason, reason);
        assert.equal(event?.raw, undefined);
      }
    });

  test('an end by what nobody has heard of is kept as it is', () => {
    for (const cause of ['sunspots', 'constructor', '__proto__']) {
      const event = eventOf(deliver('disconnect', { cause }));
      assert.deepEqual([event?.kind, event?.reason, event?.raw], ['ended', 'unknown', cause]);
    }
    assert.equal(eventOf(deliver('disconnect', { cause: undefined }))?.reason, 'unknown');
  });

  test('an event that nobody has heard of is kept as it is', () => {
    for (const eventType of ['redirect', 'dtmf', 'machineDetectionComplete', 'somethingNew']) {
      const event = eventOf(deliver('initiate', { eventType }));
      assert.deepEqual([event?.kind, event?.raw], ['other', eventType]);
    }
  });

  test('how long a caller was on the line is no talk; how long a called one was, is', () => {
    assert.equal(eventOf(deliver('disconnect'))?.talkSeconds, undefined);
    assert.equal(eventOf(deliver('disconnect', { direction: 'outbound' }))?.talkSeconds, 79);
    for (const answerTime of ['2026-11-16T12:09:00Z', '1999-01-01T00:00:00Z', 'soon', 7])
      assert.equal(eventOf(deliver('disconnect', { direction: 'outbound', answerTime }))?.talkSeconds, undefined);
  });

  test('a time without a zone is UTC, and one that is none is ours', () => {
    const time = (startTime: unknown, eventTime: unknown) => {
      const event = eventOf(deliver('initiate', { startTime, eventTime }));
      return [event?.occurredAt, event?.timeFrom];
    };
    assert.deepEqual(time('2026-11-16T12:00:00.500', null), [at('12:00:00.500'), 'provider']);
    assert.deepEqual(time('2026-11-16T13:00:00+01:00', null), [at('12:00:00'), 'provider']);
    assert.deepEqual(time('yesterday', '2026-11-16T12:00:01Z'), [at('12:00:01'), 'provider']);
    assert.deepEqual(time('2026-13-99T12:00:00Z', 1_700_000_000), [RECEIVED, 'received']);
  });

  test('a recording', () => {
    assert.deepEqual(factsOf(deliver('recordingAvailable')).recordings, [
      {
        recordingId: payloads['recordingAvailable']?.['recordingId'],
        status: 'available',
        callKey: CALL,
        startedAt: at('12:00:31.000'),
        durationMs: 19_890,
        channels: 1,
        source: null,
        errorCode: null,
        mediaUrl: payloads['recordingAvailable']?.['mediaUrl'],
        mediaExpiresAt: null,
      },
    ]);
    const status = (changes: Payload) => {
      const [recording] = factsOf(deliver('recordingAvailable', changes)).recordings;
      return [recording?.status, recording?.errorCode];
    };
    assert.deepEqual(status({ status: 'partial' }), ['available', 'partial']);
    assert.deepEqual(status({ status: 'error' }), ['failed', 'error']);
    assert.deepEqual(status({ status: 'novel' }), ['available', 'novel']);
    assert.equal(factsOf(deliver('recordComplete')).recordings[0]?.status, 'in_progress');
    assert.equal(factsOf(deliver('recordingAvailable', { parentCallId: 'c-0' })).recordings[0]?.callKey, 'c-0');
  });

  for (const [duration, ms] of [
    ['PT20.056S', 20_056],
    ['PT1M3S', 63_000],
    ['PT1H', 3_600_000],
    ['P1DT1S', 86_401_000],
    ['PT0S', 0],
    ['P', null],
    ['PT', null],
    ['P1DT', null],
    ['-PT5S', null],
    ['PT-5S', null],
    ['PT999999999H', null],
    ['20', null],
    [20, null],
  ] as const)
    test(`a duration of ${duration}`, () =>
      assert.equal(factsOf(deliver('recordingAvailable', { duration })).recordings[0]?.durationMs, ms));

  test('a message is one if it is long enough, and the same one when it is told twice', () => {
    const [complete, available] = [eventOf(deliver('recordComplete')), eventOf(deliver('recordingAvailable'))];
    assert.equal(complete?.kind, 'voicemail');
    assert.deepEqual(complete, available);
    assert.equal(eventOf(deliver('recordingAvailable', { duration: 'PT0.4S' })), undefined);
    assert.equal(eventOf(deliver('recordingAvailable', { status: 'error' })), undefined);
  });

  test('the recording of a talk is no message', () => {
    assert.deepEqual(factsOf(deliver('recordingAvailable', {}, '/recording?account=a1')).events, []);
  });

  test('the same by GET', () => {
    const query = new URLSearchParams(
      Object.entries(payloads['recordingAvailable'] ?? {}).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    );
    const byGet = { ...deliver('recordingAvailable'), method: 'GET' as const, body: Buffer.alloc(0) };
    const target = `${byGet.target}&${query}`;
    assert.deepEqual(factsOf({ ...byGet, target }).recordings, factsOf(deliver('recordingAvailable')).recordings);
    assert.equal(bandwidth.recognizes({ ...byGet, target }), true);
  });
});

describe('a repeated delivery', () => {
  test('has the same key, whatever its headers and the order of its names', () => {
    for (const name of Object.keys(ADDRESSES) as Name[]) {
      const first = deliver(name);
      const backwards = Object.fromEntries(Object.entries(payloads[name] ?? {}).reverse());
      const again = {
        ...first,
        headers: { ...first.headers, 'x-retry': '1' },
        body: Buffer.from(JSON.stringify(backwards)),
      };
      assert.equal(bandwidth.keyOf(again), bandwidth.keyOf(first));
      assert.deepEqual(factsOf(again).events, factsOf(first).events);
    }
  });

  test('is told from every other one', () => {
    const names = Object.keys(ADDRESSES) as Name[];
    assert.equal(new Set(names.map((name) => bandwidth.keyOf(deliver(name)))).size, names.length);
  });
});
