import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall } from '../../calls/call.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { deliver, forms } from './fixtures/deliveries.ts';
import { signalwire } from './index.ts';

const NOON = Date.parse('2026-11-16T12:00:00Z');
const form = (name: string, step?: string, more: Record<string, string> = {}) =>
  deliver({ ...forms[name], ...more }, { step });
const factsOf = (delivery: Delivery, receivedAt = NOON) => signalwire.factsOf(delivery, receivedAt);

/** What a call comes to, in whatever order its deliveries arrive. */
const outcomeOf = (deliveries: readonly Delivery[]): string | null => {
  const told = deliveries.flatMap((delivery, index) => factsOf(delivery, NOON + index * 1_000).events);
  const outcomes = [told, told.toReversed(), [...told, ...told]].map(
    (order) => assembleCall({ direction: 'inbound' }, order).outcome,
  );
  assert.equal(new Set(outcomes).size, 1);
  return outcomes[0] ?? null;
};

describe('a call comes out as', () => {
  const begin = [form('incoming'), form('answered', 'status')];
  const end = form('completed', 'status');
  const short = { DialCallDuration: '12' };
  for (const [outcome, what, deliveries] of [
    ['answered', 'the person who was dialled took it', [form('dialAnswered', 'dialed'), end]],
    [
      'answered',
      'they pressed the key',
      [form('screening', 'screen'), form('keyPressed', 'screened'), form('dialAnswered', 'screened', short), end],
    ],
    [
      'answered',
      'it lasted longer than any screening',
      [form('dialAnswered', 'screened', { DialCallDuration: '300' }), end],
    ],
    [
      'missed',
      'a machine picked up and pressed nothing',
      [
        form('screening', 'screen'),
        form('keyPressed', 'screened', { Digits: '' }),
        form('dialAnswered', 'screened', short),
        end,
      ],
    ],
    ['missed', 'nobody took it', [form('childNotAnswered', 'status'), form('dialNotAnswered', 'dialed'), end]],
    ['missed', 'who was dialled was busy', [form('dialBusy', 'dialed'), end]],
    ['abandoned', 'the caller gave up while it rang', [form('dialCanceled', 'dialed'), end]],
    ['voicemail', 'a message was left', [form('dialNotAnswered', 'dialed'), form('messageLeft', 'voicemail'), end]],
    ['missed', 'it was not forwarded', [end]],
  ] as const)
    test(`${outcome}: ${what}`, () => assert.equal(outcomeOf([...begin, ...deliveries]), outcome));
});

describe('a delivery', () => {
  test('is of one call, between two ends, with the time that it tells', () => {
    const { call, events } = factsOf(form('completed', 'status'));
    assert.deepEqual(call, {
      callKey: forms['incoming']?.['CallSid'],
      direction: 'inbound',
      from: { kind: 'number', value: '+15551230001' },
      to: { kind: 'number', value: '+15551239999' },
    });
    assert.deepEqual(
      events.map(({ kind, reason, talkSeconds, occurredAt }) => [kind, reason, talkSeconds, occurredAt]),
      [['ended', 'completed', 60, NOON + 60_000]],
    );
    assert.equal(factsOf(form('screening', 'screen')).call?.callKey, forms['incoming']?.['CallSid']);
  });

  test('has the same key each time, and another at another step', () => {
    assert.equal(signalwire.keyOf(form('incoming')), signalwire.keyOf(form('incoming')));
    assert.notEqual(signalwire.keyOf(form('incoming')), signalwire.keyOf(form('incoming', 'status')));
  });

  test('of a dialled leg that does not name the caller is no call of its own', () => {
    for (const [name, step] of [
      ['screening', 'screen'],
      ['keyPressed', 'screened'],
    ] as const) {
      const { call, events } = factsOf(form(name, step, { ParentCallSid: '' }));
      assert.deepEqual([call, events], [null, []]);
    }
  });

  test('tells of a recording', () => {
    const [recording] = factsOf(form('recordingDone')).recordings;
    assert.deepEqual(
      [recording?.status, recording?.durationMs, recording?.channels, recording?.startedAt, recording?.mediaExpiresAt],
      ['available', 42_000, 2, NOON + 10_000, null],
    );
    assert.equal(factsOf(form('recordingBegun')).recordings[0]?.status, 'in_progress');
    assert.equal(factsOf(form('recordingAbsent')).recordings[0]?.status, 'absent');
  });

  test('keeps a status that is not known, and drops a duration that cannot be', () => {
    const [event] = factsOf(form('answered', 'status', { CallStatus: 'teleported' })).events;
    assert.deepEqual([event?.kind, event?.raw], ['other', 'teleported']);
    assert.equal(factsOf(form('completed', 'status', { CallDuration: '999999999' })).events[0]?.talkSeconds, undefined);
  });

  test('is recognized by its header or its ids, and by nothing else', () => {
    for (const name of Object.keys(forms)) assert.equal(signalwire.recognizes(form(name)), true, name);
    assert.equal(signalwire.recognizes({ ...deliver({}), headers: { 'x-signalwire-signature': 'x' } }), true);
    assert.equal(signalwire.recognizes({ ...deliver({}), headers: { 'x-twilio-signature': 'x' } }), false);
    assert.equal(signalwire.recognizes({ ...deliver({}), headers: { authorization: 'Bearer x' } }), false);
    assert.equal(signalwire.recognizes(form('incoming', '', { AccountSid: `AC${'0'.repeat(32)}` })), false);
    assert.equal(signalwire.recognizes(form('incoming', '', { CallSid: 'v3:abcdefgh' })), false);
    assert.equal(signalwire.accountIdOf(form('incoming')), '152c7660-e9cb-4d62-a4c9-000000000001');
    assert.equal(signalwire.calledParty(form('incoming')).value, '+15551239999');
  });
});

test('nothing that can be sent makes it fail', () => {
  const names = Object.keys({ ...forms['keyPressed'], ...forms['dialAnswered'], ...forms['recordingDone'] });
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), fc.string()).map((params) => new URLSearchParams(params).toString()),
    fc.json(),
    fc.string({ unit: 'binary' }),
  );
  const types = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', '');
  const queries = fc.oneof(
    fc.constantFrom('step=screen', 'step=screened', 'step=dialed', 'step=voicemail'),
    fc.string(),
  );
  fc.assert(
    fc.property(body, fc.constantFrom('GET', 'POST'), types, queries, (text, method, type, query) => {
      const delivery: Delivery = {
        route: 'voice',
        method: method as Delivery['method'],
        target: `/voice?${query}`,
        headers: { 'content-type': type, 'x-signalwire-signature': 'x' },
        body: Buffer.from(text),
      };
      signalwire.recognizes(delivery);
      signalwire.accountIdOf(delivery);
      signalwire.occasionOf(delivery);
      signalwire.calledParty(delivery);
      signalwire.factsOf(delivery, NOON);
      assert.equal(typeof signalwire.keyOf(delivery), 'string');
      assert.equal(
        signalwire.verify(delivery, [{ id: 's', value: 'k' }], { publicUrl: 'https://a.example', now: 0 }).ok,
        false,
      );
    }),
    { numRuns: 500 },
  );
});
