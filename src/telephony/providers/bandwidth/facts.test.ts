import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deliver, NAMES, payloads, screened } from '../../../../test/harness/vendors/bandwidth.ts';
import { assembleCall } from '../../calls/call.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { bandwidth } from './index.ts';

const RECEIVED = Date.parse('2026-11-16T13:00:00Z');
const at = (time: string): number => Date.parse(`2026-11-16T${time}Z`);
const CALL = String(payloads['initiate']?.['callId']);

const factsOf = (delivery: Delivery) => bandwidth.factsOf(delivery, RECEIVED);
const eventOf = (delivery: Delivery) => factsOf(delivery).events[0];
const callOf = (direction: 'inbound' | 'outbound', ...deliveries: Delivery[]) =>
  assembleCall(
    { direction },
    deliveries.flatMap((delivery) => factsOf(delivery).events),
  );

describe('what a delivery says', () => {
  test('has a key made of what happened and when', () => {
    assert.equal(eventOf(deliver('initiate'))?.key, `${CALL} initiate 2026-11-16T12:00:00.120Z`);
    assert.deepEqual(factsOf(deliver('initiate')).recordings, []);
  });

  test('has reached nobody if a leg was canceled or not answered', () => {
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
    test(`ends a leg and a transfer by "${cause}"`, () => {
      for (const name of ['legTimedOut', 'transferTimedOut'] as const) {
        const event = eventOf(deliver(name, { cause }));
        assert.deepEqual([event?.reason, event?.raw], [reason, undefined]);
      }
    });

  test('counts the time of a called person as talk, not that of a caller', () => {
    assert.equal(eventOf(deliver('disconnect'))?.talkSeconds, undefined);
    assert.equal(eventOf(deliver('disconnect', { direction: 'outbound' }))?.talkSeconds, 79);
    for (const answerTime of ['2026-11-16T12:09:00Z', '1999-01-01T00:00:00Z', 'soon', 7])
      assert.equal(eventOf(deliver('disconnect', { direction: 'outbound', answerTime }))?.talkSeconds, undefined);
  });

  test('reports a message once, though it is reported twice', () => {
    assert.deepEqual(eventOf(deliver('recordComplete')), eventOf(deliver('recordingAvailable')));
  });

  test('is the same by GET', () => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(payloads['recordingAvailable'] ?? {})) query.set(name, String(value));
    const posted = deliver('recordingAvailable');
    const got = { ...posted, method: 'GET', target: `${posted.target}&${query}`, body: Buffer.alloc(0) } as const;
    assert.deepEqual(factsOf(got).recordings, factsOf(posted).recordings);
  });

  test('is read however deeply it is nested', () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = Buffer.from(`{"eventType":"initiate","callId":"c-1","diversion":${nested}}`);
    const deep = { ...deliver('initiate'), body };
    assert.equal(factsOf(deep).call?.callKey, 'c-1');
    assert.equal(bandwidth.recognizes(deep), true);
  });

  test('is the same in any order of names, and so is its key', () => {
    for (const name of NAMES) {
      const first = deliver(name);
      const backwards = Object.fromEntries(Object.entries(payloads[name] ?? {}).reverse());
      const again = { ...first, body: Buffer.from(JSON.stringify(backwards)) };
      assert.equal(bandwidth.keyOf(again), bandwidth.keyOf(first));
      assert.deepEqual(factsOf(again).events, factsOf(first).events);
    }
  });
});

describe('a call', () => {
  test('is answered from the moment a person was there', () => {
    assert.equal(callOf('inbound', deliver('legTalked'), deliver('transferOver')).answeredAt, at('12:00:12.000'));
    assert.equal(
      callOf('inbound', deliver('transferAnswer'), deliver('keyPressed'), screened('legTalked')).answeredAt,
      at('12:00:18.000'),
    );
  });

  test('that goes out ends as its own leg ends', () => {
    const outbound = { direction: 'outbound' };
    const answer = deliver('initiate', { ...outbound, eventType: 'answer', answerTime: '2026-11-16T12:00:05Z' });
    assert.equal(factsOf(answer).call?.direction, 'outbound');
    assert.equal(callOf('outbound', answer, deliver('disconnect', outbound)).outcome, 'answered');
    for (const [cause, outcome] of [
      ['busy', 'busy'],
      ['timeout', 'missed'],
      ['rejected', 'rejected'],
      ['cancel', 'canceled'],
      ['error', 'failed'],
    ] as const)
      assert.equal(
        callOf('outbound', deliver('disconnect', { ...outbound, cause, answerTime: undefined })).outcome,
        outcome,
      );
  });
});
