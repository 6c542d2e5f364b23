import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall } from '../../calls/call.ts';
import type { CallEvent } from '../../contract/call-event.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { get, NOW, type Payload, payload, payloads, post } from './fixtures/sign-delivery.ts';
import { vonage } from './index.ts';

const CALL = 'CON-5f0c2d1e-7a3b-4c55-9d10-aa0155512301';
const LEG = '0f9e8d7c-6b5a-4039-8271-605f4e3d2c1b';

type Where = { step?: string | null; route?: Delivery['route'] };

const factsOf = (told: string | Payload, where: Where = {}) =>
  vonage.factsOf(post(typeof told === 'string' ? payload(told) : told, where), NOW);

const eventOn = (told: string | Payload, where: Where = {}): Partial<CallEvent> => {
  const { key, timeFrom, occurredAt, ...rest } = factsOf(told, where).events[0] ?? {};
  return rest;
};

describe('what is told of the caller', () => {
  for (const [told, event] of [
    ['answer', { kind: 'initiated', legId: null }],
    ['callerStarted', { kind: 'initiated', legId: null }],
    ['callerRinging', { kind: 'ringing', legId: null }],
    ['callerAnswered', { kind: 'answered', legId: null }],
    ['callerCompleted', { kind: 'ended', legId: null, reason: 'completed', talkSeconds: 57 }],
    ['machine', { kind: 'other', legId: null, raw: 'machine' }],
    ['transfer', { kind: 'other', legId: null, raw: 'transfer' }],
    ['error', { kind: 'other', legId: null, raw: 'Syntax error in NCCO. Invalid value type or action.' }],
  ] as const)
    test(`${told} is ${event.kind}`, () =>
      assert.deepEqual(eventOn(told, { step: told === 'answer' ? null : 'status' }), event));

  test('an end that is no conversation has its reason', () => {
    for (const [status, reason] of [
      ['timeout', 'no_answer'],
      ['unanswered', 'no_answer'],
      ['busy', 'busy'],
      ['rejected', 'rejected'],
      ['failed', 'failed'],
      ['cancelled', 'canceled'],
    ] as const) {
      const told = { ...payload('callerStarted'), status };
      assert.deepEqual(eventOn(told), { kind: 'ended', legId: null, reason });
    }
  });

  test('a word that is not known is kept as it is', () => {
    for (const status of ['levitating', 'constructor', '__proto__'])
      assert.deepEqual(eventOn({ ...payload('callerStarted'), status }), { kind: 'other', legId: null, raw: status });
    assert.equal(eventOn({ ...payload('callerStarted'), status: 'x'.repeat(5_000) }).raw?.length, 120);
  });

  test('absurd durations are dropped', () => {
    for (const duration of ['-1', '1e99', '1.5', 'x', '99999999', null])
      assert.equal(eventOn({ ...payload('callerCompleted'), duration }).talkSeconds, undefined, String(duration));
    assert.equal(eventOn({ ...payload('callerCompleted'), duration: 57 }).talkSeconds, 57);
  });
});

describe('what is told of somebody who was dialled', () => {
  for (const [told, step, event] of [
    ['legRinging', 'dialed', { kind: 'ringing', legId: LEG }],
    ['legAnswered', 'dialed', { kind: 'bridged', legId: LEG }],
    ['legAnswered', 'screen', { kind: 'forwarded', legId: LEG }],
    ['legPressed', 'screened', { kind: 'bridged', legId: LEG }],
    ['legNotPressed', 'screened', {}],
    ['legOnAnswer', 'screen', {}],
    ['legBusy', 'dialed', { kind: 'forward_ended', legId: LEG, reason: 'busy', reachedHuman: false }],
    ['legTimeout', 'screen', { kind: 'forward_ended', legId: LEG, reason: 'no_answer', reachedHuman: false }],
    ['legCancelled', 'dialed', { kind: 'forward_ended', legId: LEG, reason: 'canceled', reachedHuman: false }],
    [
      'legCompleted',
      'dialed',
      { kind: 'forward_ended', legId: LEG, reason: 'completed', talkSeconds: 45, reachedHuman: true },
    ],
    ['legCompleted', 'screen', { kind: 'forward_ended', legId: LEG, reason: 'completed', talkSeconds: 45 }],
    ['legCompletedUntaken', 'dialed', { kind: 'other', legId: LEG, raw: 'completed' }],
    ['machine', 'dialed', { kind: 'other', legId: LEG, raw: 'machine' }],
  ] as const)
    test(`${told}, at the address of ${step}`, () => assert.deepEqual(eventOn(told, { step }), event));

  test('a leg that was over at once has reached nobody', () => {
    const told = { ...payload('legCompleted'), duration: '0' };
    assert.deepEqual(eventOn(told, { step: 'dialed' }), { kind: 'other', legId: LEG, raw: 'completed' });
  });

  test('belongs to the call, whose two ends it does not know', () => {
    const facts = { callKey: CALL, direction: null, from: null, to: null };
    assert.deepEqual(factsOf('legAnswered', { step: 'dialed' }).call, facts);
    assert.deepEqual(factsOf('legPressed', { step: 'screened' }).call, facts);
    const called = vonage.calledParty(post(payload('legBusy'), { step: 'dialed' }));
    assert.deepEqual(called, { kind: 'unknown', value: '' });
  });

  test('is not believed of a leg that came in: that is signed, and the address is not', () => {
    assert.equal(eventOn('callerAnswered', { step: 'dialed' }).kind, 'answered');
    assert.equal(eventOn('callerCompleted', { step: 'dialed' }).kind, 'ended');
  });
});

describe('the call', () => {
  test('is the conversation, between two numbers', () => {
    const facts = {
      callKey: CALL,
      direction: 'inbound',
      from: { kind: 'number', value: '+15551230001' },
      to: { kind: 'number', value: '+15551239999' },
    };
    assert.deepEqual(factsOf('answer').call, facts);
    assert.deepEqual(factsOf('callerCompleted', { step: 'status' }).call, facts);
    assert.deepEqual(vonage.factsOf(get(payload('answer')), NOW).call, facts);
    assert.deepEqual(vonage.calledParty(get(payload('answer'))), facts.to);
  });

  test('may go out, come from an app, or hide who calls', () => {
    assert.equal(factsOf('legRinging', { step: 'status' }).call?.direction, 'outbound');
    const { from: _, ...answer } = payload('answer');
    assert.deepEqual(factsOf({ ...answer, from_user: 'Jane' }).call?.from, { kind: 'client', value: 'client:Jane' });
    assert.deepEqual(factsOf({ ...answer, from: 'anonymous' }).call?.from, { kind: 'anonymous', value: '' });
    assert.deepEqual(factsOf(answer).call?.from, { kind: 'unknown', value: '' });
  });

  test('has the time that the provider tells, in UTC, else when it was received', () => {
    const timeOf = (timestamp: unknown) => {
      const [event] = factsOf({ ...payload('callerRinging'), timestamp }).events;
      return [event?.occurredAt, event?.timeFrom];
    };
    const instant = Date.parse('2026-11-16T09:15:00Z');
    for (const text of [
      '2026-11-16T09:15:00.000Z',
      '2026-11-16T09:15:00',
      '2026-11-16 09:15:00',
      '2026-11-16T10:15:00+01:00',
    ])
      assert.deepEqual(timeOf(text), [instant, 'provider'], text);
    for (const text of ['soon', '', null, 7, '2026-99-99T99:99:99Z']) assert.deepEqual(timeOf(text), [NOW, 'received']);
  });
});

describe('a recording', () => {
  test('of a call is announced with its file', () => {
    const { events, recordings, call } = factsOf('record', { route: 'recording' });
    assert.deepEqual(events, []);
    assert.deepEqual(call, { callKey: CALL, direction: null, from: null, to: null });
    assert.deepEqual(recordings, [
      {
        recordingId: 'd4c3b2a1-0f1e-4d2c-8b3a-49586776a5b4',
        status: 'available',
        callKey: CALL,
        startedAt: Date.parse('2026-11-16T09:15:30Z'),
        durationMs: 18_000,
        channels: null,
        source: null,
        errorCode: null,
        mediaUrl: 'https://api-us-3.vonage.com/v1/files/6c8d7e90-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
        mediaExpiresAt: null,
      },
    ]);
  });

  test('at the address of the voicemail is a message', () => {
    const where = { route: 'recording', step: 'voicemail' } as const;
    assert.deepEqual(eventOn('record', where), { kind: 'voicemail', legId: null });
    assert.deepEqual(factsOf('recordEmpty', where).events, []);
    assert.equal(factsOf('recordEmpty', where).recordings[0]?.status, 'absent');
    assert.deepEqual(factsOf({ ...payload('record'), end_time: payload('record')['start_time'] }, where).events, []);
  });

  test('has no absurd duration', () => {
    for (const end_time of ['2026-11-16T09:15:29Z', '2036-11-16T09:15:30Z', null, 'x'])
      assert.equal(factsOf({ ...payload('record'), end_time }).recordings[0]?.durationMs, null);
    assert.equal(factsOf({ ...payload('record'), channels: 2 }).recordings[0]?.channels, 2);
  });
});

describe('repetition', () => {
  test('the same token is the same delivery, whatever the address or the query says', () => {
    const key = vonage.keyOf(get(payload('answer')));
    const busy = (step: string) => post(payload('legBusy'), { step });
    assert.equal(vonage.keyOf(get({ ...payload('answer'), from: '15551230009' }, { step: 'screen' })), key);
    assert.equal(vonage.keyOf(busy('dialed')), vonage.keyOf(busy('screen')));
    assert.notEqual(vonage.keyOf(post(payload('answer'), { claims: { jti: 'another' } })), key);
  });

  test('the same fact in a new token is the same event, and another fact another', () => {
    const keyOf = (told: Payload, jti: string) => vonage.factsOf(post(told, { claims: { jti } }), NOW).events[0]?.key;
    assert.equal(keyOf(payload('callerRinging'), 'one'), keyOf(payload('callerRinging'), 'two'));
    const keys = Object.keys(payloads).flatMap((name) =>
      factsOf(name, { step: 'dialed' }).events.map(({ key }) => key),
    );
    assert.equal(new Set(keys).size, keys.length);
  });
});

describe('a story', () => {
  const at = (step: string, ...names: string[]) => names.flatMap((name) => [...factsOf(name, { step }).events]);
  const message = factsOf('record', { route: 'recording', step: 'voicemail' }).events;
  const begun = [...factsOf('answer').events, ...at('status', 'callerStarted', 'callerRinging', 'callerAnswered')];
  const over = at('status', 'callerCompleted');
  const rung = (step: string) => at(step, 'legStarted', 'legRinging');

  for (const [what, outcome, talkSeconds, middle] of [
    ['somebody takes it', 'answered', 45, at('dialed', 'legAnswered', 'legCompleted')],
    ['somebody takes it, and the pick-up is not told', 'answered', 45, at('dialed', 'legCompleted')],
    ['nobody takes it', 'missed', null, at('dialed', 'legTimeout', 'legCompletedUntaken')],
    ['the line is busy', 'missed', null, at('dialed', 'legBusy', 'legCompletedUntaken')],
    [
      'it is declined, and a message left',
      'voicemail',
      null,
      [...at('dialed', 'legUnanswered', 'legCompletedUntaken'), ...message],
    ],
    ['the caller gives up', 'abandoned', null, at('dialed', 'legCancelled', 'legCompletedUntaken')],
    [
      'somebody presses the key',
      'answered',
      45,
      [...at('screen', 'legAnswered', 'legCompleted'), ...at('screened', 'legPressed')],
    ],
    [
      'a machine presses none',
      'missed',
      null,
      [...at('screen', 'legAnswered', 'legCompleted'), ...at('screened', 'legNotPressed')],
    ],
  ] as const)
    test(`${what}: ${outcome}, in any order`, () => {
      const story = [...begun, ...rung('dialed'), ...middle, ...over];
      fc.assert(
        fc.property(fc.shuffledSubarray(story, { minLength: story.length }), fc.subarray(story), (events, again) => {
          const call = assembleCall({ direction: 'inbound' }, [...events, ...again]);
          assert.deepEqual([call.status, call.outcome, call.talkSeconds], ['ended', outcome, talkSeconds]);
        }),
        { numRuns: 100 },
      );
    });

  test('a call of ours that is busy stays busy, although "completed" follows', () => {
    const events = at('status', 'legStarted', 'legBusy', 'legCompletedUntaken');
    assert.equal(assembleCall({ direction: 'outbound' }, events).outcome, 'busy');
  });
});

describe('whatever comes', () => {
  const names = [...new Set(Object.values(payloads).flatMap(Object.keys)), 'account_id', '__proto__', 'constructor'];
  const anything = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map((value) => JSON.stringify(value)),
    fc.json(),
    fc.string({ unit: 'binary' }),
  );
  const step = fc.constantFrom(null, 'dialed', 'voicemail', 'screen', 'screened', 'status', 'x', '%');
  const authorization = fc.oneof(
    fc.string(),
    fc.string().map((value) => `Bearer ${value}`),
    fc.constant('Bearer a.b.c'),
  );

  test('nothing throws', () => {
    fc.assert(
      fc.property(
        anything,
        step,
        fc.boolean(),
        fc.option(authorization),
        fc.string(),
        (body, step, isGet, header, query) => {
          const posted = post(body, { step });
          const delivery: Delivery = {
            ...posted,
            method: isGet ? 'GET' : 'POST',
            target: `${posted.target}&${query}&${encodeURI(body.toWellFormed())}`,
            headers: header === null ? posted.headers : { authorization: header },
          };
          vonage.recognizes(delivery);
          vonage.accountIdOf(delivery);
          vonage.verify(delivery, [{ id: 's1', value: 'x' }], { publicUrl: 'https://hooks.example.test', now: NOW });
          vonage.occasionOf(delivery);
          vonage.calledParty(delivery);
          for (const event of vonage.factsOf(delivery, NOW).events) assert.ok(Number.isFinite(event.occurredAt));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
