import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall, type Outcome } from '../../calls/call.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { DELIVERIES, deliver } from './fixtures/deliveries.ts';
import { plivo } from './index.ts';

const RECEIVED = Date.parse('2026-11-16T12:02:00Z');

const factsOf = (name: string, changes: Record<string, string | null> = {}) =>
  plivo.factsOf(deliver(name, changes), RECEIVED);

describe('a call', () => {
  const stories: readonly (readonly [string, readonly string[], Outcome, number | null])[] = [
    ['answered', ['answer', 'legAnswered', 'legConnected', 'legHungUp', 'dialCompleted', 'hangup'], 'answered', 62],
    ['answered, told by the end alone', ['answer', 'dialCompleted', 'hangup'], 'answered', 0],
    ['answered by the faster of two', ['answer', 'legConnected', 'legTooSlow', 'legHungUp', 'hangup'], 'answered', 62],
    ['missed', ['answer', 'legUnanswered', 'dialUnanswered', 'hangup'], 'missed', null],
    [
      'missed: a mailbox picked up',
      ['answer', 'legAnswered', 'legWithoutKey', 'dialUnanswered', 'hangup'],
      'missed',
      null,
    ],
    ['missed: the line was busy', ['answer', 'dialBusy', 'hangup'], 'missed', null],
    ['voicemail', ['answer', 'legUnanswered', 'dialUnanswered', 'message', 'hangup'], 'voicemail', null],
    ['voicemail, told when it was stored', ['answer', 'dialUnanswered', 'hangup', 'messageStored'], 'voicemail', null],
    ['abandoned', ['answer', 'legCanceled', 'dialCanceled', 'hangup'], 'abandoned', null],
    ['answered, outbound', ['outboundRinging', 'outboundTaken', 'outboundHangup'], 'answered', 66],
    ['busy, outbound', ['outboundRinging', 'outboundBusy'], 'busy', null],
  ];
  for (const [title, names, outcome, talkSeconds] of stories)
    test(`${title}, in any order and however often`, () => {
      const facts = names.map((name) => factsOf(name));
      const direction = facts[0]?.call?.direction ?? 'inbound';
      assert.ok(facts.every(({ call }) => (call?.direction ?? direction) === direction));
      fc.assert(
        fc.property(fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2 }), (told) => {
          const call = assembleCall(
            { direction },
            told.flatMap(({ events }) => events),
          );
          assert.deepEqual([call.status, call.outcome, call.talkSeconds], ['ended', outcome, talkSeconds]);
        }),
        { numRuns: 30 },
      );
    });

  test('that was taken by Plivo alone was taken by nobody', () => {
    const events = ['answer', 'hangup'].flatMap(
      (name) => factsOf(name, { CallStatus: 'in-progress', Event: 'StartApp' }).events,
    );
    const call = assembleCall({ direction: 'inbound' }, [...events, ...factsOf('hangup').events]);
    assert.equal(call.outcome, 'missed');
  });
});

describe('anything at all', () => {
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(
        fc.tuple(
          fc.oneof(
            fc.constantFrom(...new Set(Object.values(DELIVERIES).flatMap(({ params }) => Object.keys(params)))),
            fc.string(),
          ),
          fc.oneof(
            fc.constantFrom('__proto__', 'constructor', 'toString', 'completed', 'Hangup', '-1'),
            fc.string({ unit: 'binary' }),
          ),
        ),
      )
      .map((pairs) => Buffer.from(new URLSearchParams(pairs).toString())),
    fc.json().map((text) => Buffer.from(text)),
  );
  test('can come, and nothing breaks', () => {
    fc.assert(
      fc.property(
        bodies,
        fc.constantFrom<Delivery['method']>('GET', 'POST'),
        fc.constantFrom<Delivery['route']>('voice', 'recording'),
        fc.constantFrom('', 'dialed', 'voicemail', 'screen', 'screened', 'status', '__proto__'),
        fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'text/plain', ''),
        fc.string({ maxLength: 30 }),
        (body, method, route, step, type, header) => {
          const delivery: Delivery = {
            route,
            method,
            target: `/x?step=${step}&${method === 'GET' ? body.toString('latin1') : '%zz'}`,
            headers: { 'content-type': type, 'x-plivo-signature-v3': header, 'x-plivo-signature-v3-nonce': 'n' },
            body,
          };
          plivo.recognizes(delivery);
          plivo.accountIdOf(delivery);
          plivo.calledParty(delivery);
          plivo.occasionOf(delivery);
          const { events } = plivo.factsOf(delivery, RECEIVED);
          assert.ok(events.every(({ occurredAt }) => Number.isFinite(occurredAt)));
          const verdict = plivo.verify(delivery, [{ id: 's', value: 'k' }], { publicUrl: 'https://a.test', now: 0 });
          assert.equal(verdict.ok, false);
        },
      ),
      { numRuns: 500 },
    );
  });
});
