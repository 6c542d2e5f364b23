import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall } from '../../calls/call.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { at, deliver, factsOf, screened } from './fixtures/deliver.ts';

describe('a call', () => {
  const STORIES: [string, Delivery[], string, number | null][] = [
    [
      'is answered',
      [
        deliver('initiate'),
        deliver('legTalked'),
        deliver('legCanceled'),
        deliver('transferOver'),
        deliver('disconnect'),
      ],
      'answered',
      65,
    ],
    [
      'is answered, and the caller hangs up first',
      [deliver('initiate'), deliver('legTalked'), deliver('disconnect')],
      'answered',
      65,
    ],
    [
      'is answered by somebody who pressed a key',
      [
        deliver('initiate'),
        deliver('transferAnswer'),
        deliver('keyPressed'),
        screened('legTalked'),
        screened('transferOver'),
        deliver('disconnect'),
      ],
      'answered',
      59,
    ],
    [
      'is missed, because nobody pressed a key',
      [
        deliver('initiate'),
        deliver('transferAnswer'),
        deliver('noKeyPressed'),
        screened('legRefused'),
        screened('transferRefused'),
        deliver('disconnect'),
      ],
      'missed',
      null,
    ],
    [
      'is missed',
      [deliver('initiate'), deliver('legTimedOut'), deliver('transferTimedOut'), deliver('disconnect')],
      'missed',
      null,
    ],
    [
      'is missed, because everybody was busy',
      [deliver('initiate'), deliver('legBusy'), deliver('transferTimedOut', { cause: 'busy' }), deliver('disconnect')],
      'missed',
      null,
    ],
    [
      'ends with a message',
      [
        deliver('initiate'),
        deliver('legTimedOut'),
        deliver('transferTimedOut'),
        deliver('recordComplete'),
        deliver('recordingAvailable'),
        deliver('disconnect'),
      ],
      'voicemail',
      null,
    ],
    [
      'ends with a message, after which the caller just hangs up',
      [
        deliver('initiate'),
        deliver('legTimedOut'),
        deliver('transferTimedOut'),
        deliver('disconnect'),
        deliver('recordingAvailable'),
      ],
      'voicemail',
      null,
    ],
    [
      'is given up while it rings',
      [deliver('initiate'), deliver('otherLegCanceled'), deliver('legCanceled'), deliver('disconnect')],
      'abandoned',
      null,
    ],
    ['is given up at once', [deliver('initiate'), deliver('disconnectCanceled')], 'abandoned', null],
    [
      'fails, because we were not there',
      [deliver('initiate'), deliver('disconnect', { cause: 'callback-error' })],
      'failed',
      null,
    ],
  ];

  for (const [what, deliveries, outcome, talkSeconds] of STORIES)
    test(`${what}, in whatever order it is told`, () => {
      const events = deliveries.flatMap((delivery) => factsOf(delivery).events);
      fc.assert(
        fc.property(fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }), (told) => {
          const call = assembleCall({ direction: 'inbound' }, told);
          assert.deepEqual([call.status, call.outcome, call.talkSeconds], ['ended', outcome, talkSeconds]);
        }),
        { numRuns: 40 },
      );
    });

  test('is answered from the moment the person was there', () => {
    const told = (...deliveries: Delivery[]) =>
      assembleCall(
        { direction: 'inbound' },
        deliveries.flatMap((delivery) => factsOf(delivery).events),
      ).answeredAt;
    assert.equal(told(deliver('legTalked'), deliver('transferOver')), at('12:00:12.000'));
    assert.equal(told(deliver('transferAnswer'), deliver('keyPressed'), screened('legTalked')), at('12:00:18.000'));
  });

  test('that goes out is judged by its own leg', () => {
    const outbound = { direction: 'outbound' };
    const told = (...deliveries: Delivery[]) =>
      assembleCall(
        { direction: 'outbound' },
        deliveries.flatMap((delivery) => factsOf(delivery).events),
      ).outcome;
    const answer = deliver('initiate', { ...outbound, eventType: 'answer', answerTime: '2026-11-16T12:00:05Z' });
    assert.equal(factsOf(answer).call?.direction, 'outbound');
    assert.equal(told(answer, deliver('disconnect', outbound)), 'answered');
    for (const [cause, outcome] of [
      ['busy', 'busy'],
      ['timeout', 'missed'],
      ['rejected', 'rejected'],
      ['cancel', 'canceled'],
      ['error', 'failed'],
    ] as const)
      assert.equal(told(deliver('disconnect', { ...outbound, cause, answerTime: undefined })), outcome);
  });
});
