import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CallFact } from '../contract/call-fact.ts';
import { assembleCall } from './call.ts';

const START = Date.parse('2026-11-09T09:15:00Z');
const inbound = { direction: 'inbound' } as const;
const outbound = { direction: 'outbound' } as const;

const at = (seconds: number, kind: CallFact['kind'], more: Partial<CallFact> = {}): CallFact => ({
  key: `${kind} ${more.legId ?? ''} ${more.reason ?? ''} ${seconds}`,
  kind,
  occurredAt: START + seconds * 1_000,
  timeFrom: 'provider',
  legId: null,
  ...more,
});

const ringing = at(0, 'ringing');
const inProgress = at(1, 'answered');
const hungUp = at(60, 'ended', { reason: 'completed', talkSeconds: 60 });
const taken = at(50, 'forward_ended', { legId: 'B', reason: 'completed', reachedHuman: true, talkSeconds: 30 });
const notTaken = (reason: NonNullable<CallFact['reason']>) =>
  at(25, 'forward_ended', { legId: 'B', reason, reachedHuman: false });

describe('an inbound call’s outcome', () => {
  const stories: Record<string, [CallFact[], string]> = {
    'a person took it': [[ringing, inProgress, taken, hungUp], 'answered'],
    'nobody took it, although the call itself is completed': [[ringing, inProgress, hungUp], 'missed'],
    'the one who was called did not pick up': [[ringing, inProgress, notTaken('no_answer'), hungUp], 'missed'],
    'the line was busy': [[ringing, inProgress, notTaken('busy'), hungUp], 'missed'],
    'a machine of the carrier picked up': [[ringing, inProgress, notTaken('completed'), hungUp], 'missed'],
    'a message was left': [[ringing, inProgress, notTaken('no_answer'), at(40, 'voicemail'), hungUp], 'voicemail'],
    'the caller gave up while it rang': [[ringing, at(9, 'ended', { reason: 'canceled' })], 'abandoned'],
    'the caller gave up while others were dialled': [[ringing, inProgress, notTaken('canceled'), hungUp], 'abandoned'],
    'one did not pick up, and then the caller hung up': [
      [ringing, inProgress, notTaken('no_answer'), at(30, 'ended', { reason: 'canceled' })],
      'missed',
    ],
    'one did not pick up, and the caller gave up on the next': [
      [ringing, inProgress, notTaken('no_answer'), at(30, 'forward_ended', { legId: 'C', reason: 'canceled' }), hungUp],
      'missed',
    ],
    'the caller hung up, but a message was left': [
      [ringing, inProgress, notTaken('canceled'), at(40, 'voicemail'), at(45, 'ended', { reason: 'canceled' })],
      'voicemail',
    ],
    'a person took it after another had not': [[ringing, notTaken('no_answer'), taken, hungUp], 'answered'],
    'a person took it, and the end says that it failed': [
      [ringing, taken, at(60, 'ended', { reason: 'failed' })],
      'answered',
    ],
    'the line of the service was busy': [[ringing, at(2, 'ended', { reason: 'busy' })], 'busy'],
    'it was rejected': [[ringing, at(2, 'ended', { reason: 'rejected' })], 'rejected'],
    'it rang out': [[ringing, at(30, 'ended', { reason: 'no_answer' })], 'missed'],
    'one end is unknown and another is not': [
      [at(3, 'ended', { reason: 'unknown' }), at(4, 'ended', { reason: 'completed' })],
      'missed',
    ],
    'it failed': [[ringing, at(2, 'ended', { reason: 'failed' })], 'failed'],
    'nobody knows why it ended': [[at(3, 'ended', { reason: 'unknown', raw: 'gone' })], 'unknown'],
  };
  for (const [story, [events, outcome]] of Object.entries(stories))
    test(`${story}: ${outcome}`, () => {
      const call = assembleCall(inbound, events);
      assert.equal(call.outcome, outcome);
      assert.equal(call.status, 'ended');
      assert.ok(call.evidence.length > 0);
      assert.ok(call.evidence.every((key) => events.some((event) => event.key === key)));
    });

  test('is open as long as the call is', () => {
    assert.deepEqual(
      [[ringing], [ringing, inProgress], [ringing, inProgress, taken]].map((events) => {
        const { status, outcome } = assembleCall(inbound, events);
        return [status, outcome];
      }),
      [
        ['ringing', null],
        ['in_progress', null],
        ['in_progress', null],
      ],
    );
  });
});

test('rests on what decided it, and on nothing else', () => {
  const canceled = at(30, 'ended', { reason: 'canceled' });
  const evidenceOf = (...events: CallFact[]) => assembleCall(inbound, events).evidence;
  assert.deepEqual(evidenceOf(ringing, notTaken('no_answer'), canceled), [notTaken('no_answer').key]);
  assert.deepEqual(evidenceOf(ringing, notTaken('canceled'), canceled), [notTaken('canceled').key, canceled.key]);
  assert.deepEqual(evidenceOf(ringing, taken, hungUp), [taken.key]);
});

test('rounds a talk time nobody reported to the nearest second', () => {
  const bridged = at(10, 'bridged', { legId: 'B' });
  const endAt = (ms: number): CallFact => ({
    ...at(0, 'forward_ended', { legId: 'B', reason: 'completed' }),
    key: 'end of B',
    occurredAt: START + ms,
  });
  const secondsOf = (ms: number) => assembleCall(inbound, [ringing, bridged, endAt(ms)]).talkSeconds;
  assert.deepEqual([10_000, 12_499, 12_500, 12_999, 9_000].map(secondsOf), [0, 2, 3, 3, 0]);
});

describe('an outbound call’s outcome', () => {
  for (const [reason, outcome] of [
    ['no_answer', 'missed'],
    ['busy', 'busy'],
    ['rejected', 'rejected'],
    ['canceled', 'canceled'],
    ['failed', 'failed'],
  ] as const)
    test(`${reason} stays ${outcome}, even if "completed" follows`, () => {
      const end = at(20, 'ended', { reason });
      assert.equal(assembleCall(outbound, [ringing, end, hungUp]).outcome, outcome);
    });

  test('is answered once someone has picked up', () => {
    const { outcome, answeredAt, talkSeconds } = assembleCall(outbound, [ringing, inProgress, hungUp]);
    assert.deepEqual([outcome, answeredAt, talkSeconds], ['answered', START + 1_000, 60]);
  });
});

test('takes the pick-up time from that leg, or else from the talk time', () => {
  const pickedUp = at(18, 'forwarded', { legId: 'B' });
  assert.equal(assembleCall(inbound, [ringing, pickedUp, taken, hungUp]).answeredAt, START + 18_000);
  assert.equal(assembleCall(inbound, [ringing, taken, hungUp]).answeredAt, START + 20_000);
});

test('does not depend on order or repetition', () => {
  const kind = fc.constantFrom<CallFact['kind']>(
    'ringing',
    'answered',
    'ended',
    'forwarded',
    'forward_ended',
    'voicemail',
    'other',
  );
  const reason = fc.constantFrom<NonNullable<CallFact['reason']>>(
    'completed',
    'no_answer',
    'busy',
    'canceled',
    'failed',
    'unknown',
  );
  const event = fc
    .record({
      kind,
      reason,
      seconds: fc.integer({ min: 0, max: 90 }),
      leg: fc.constantFrom(null, 'B', 'C'),
      human: fc.boolean(),
    })
    .map(({ kind, reason, seconds, leg, human }) =>
      at(seconds, kind, {
        legId: leg,
        reason,
        ...(kind === 'forward_ended' ? { reachedHuman: human, talkSeconds: seconds } : {}),
      }),
    );
  const story = fc.uniqueArray(event, { selector: ({ key }) => key, minLength: 1, maxLength: 12 });
  const shuffled = story.chain((events) =>
    fc.tuple(
      fc.constant(events),
      fc.shuffledSubarray(events, { minLength: events.length }),
      fc.array(fc.constantFrom(...events), { maxLength: 20 }),
    ),
  );
  fc.assert(
    fc.property(shuffled, fc.constantFrom(inbound, outbound), ([events, otherOrder, again], facts) => {
      assert.deepEqual(assembleCall(facts, [...again, ...otherOrder, ...again]), assembleCall(facts, events));
    }),
    { numRuns: 1_000 },
  );
});
