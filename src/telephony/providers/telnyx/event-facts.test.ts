import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deliverEvent, events } from './fixtures/deliveries.ts';
import { factsOf, NOON, outcomeOf } from './fixtures/stories.ts';
import { telnyx } from './index.ts';

describe('a Call Control event', () => {
  const event = (name: string, more: Record<string, unknown> = {}) => {
    const { data, meta } = events[name] ?? { data: {}, meta: {} };
    return deliverEvent({ data: { ...data, payload: { ...(data['payload'] as object), ...more } }, meta });
  };

  test('has the id of the event as its key, whatever the attempt', () => {
    const again = deliverEvent({
      ...events['hangup'],
      meta: { attempt: 2, delivered_to: 'https://elsewhere.example' },
    });
    assert.equal(telnyx.keyOf(event('hangup')), events['hangup']?.data['id']);
    assert.equal(telnyx.keyOf(again), telnyx.keyOf(event('hangup')));
    assert.deepEqual(factsOf(again), factsOf(event('hangup')));
    const nameless = (attempt: number) =>
      deliverEvent({ data: { ...events['hangup']?.data, id: null }, meta: { attempt } });
    assert.equal(telnyx.keyOf(nameless(1)), telnyx.keyOf(nameless(2)));
  });

  test('says when it happened, of which call, and between whom', () => {
    const { call, events: told } = factsOf(event('initiated'));
    assert.deepEqual(call, {
      callKey: '428c31b6-abf3-3bc1-b7f4-5013ef9657c1',
      direction: 'inbound',
      from: { kind: 'number', value: '+15551230001' },
      to: { kind: 'number', value: '+15551239999' },
    });
    assert.deepEqual(
      told.map(({ kind, occurredAt, timeFrom, legId }) => [kind, occurredAt, timeFrom, legId]),
      [['initiated', NOON + 521, 'provider', null]],
    );
    assert.equal(factsOf(event('dialedInitiated')).call?.direction, 'outbound');
    const { callKey = '' } = call ?? {};
    assert.deepEqual(factsOf(event('answered')).call, { callKey, direction: null, from: null, to: null });
  });

  for (const [cause, reason, raw] of [
    ['normal_clearing', 'completed'],
    ['time_limit', 'completed'],
    ['originator_cancel', 'canceled'],
    ['timeout', 'no_answer'],
    ['no_answer', 'no_answer'],
    ['user_busy', 'busy'],
    ['call_rejected', 'rejected'],
    ['not_found', 'failed'],
    ['unspecified', 'unknown'],
    ['constructor', 'unknown', 'constructor'],
    ['something_new', 'unknown', 'something_new'],
  ] as const)
    test(`ends a call with ${cause}`, () => {
      const [told] = factsOf(event('hangup', { hangup_cause: cause })).events;
      assert.deepEqual([told?.kind, told?.reason, told?.raw], ['ended', reason, raw]);
    });

  for (const [outcome, names] of [
    ['answered', ['initiated', 'answered', 'dialedInitiated', 'dialedAnswered', 'bridged', 'dialedHangup', 'hangup']],
    ['missed', ['initiated', 'answered', 'dialedInitiated', 'dialedNotAnswered', 'hangup']],
    ['missed', ['initiated', 'answered', 'dialedInitiated', 'dialedAnswered', 'dialedHangup', 'hangup']],
    ['abandoned', ['initiated', 'canceled']],
  ] as const)
    test(`adds up to ${outcome}: ${names.join(', ')}`, () =>
      assert.equal(outcomeOf(names.map((name) => deliverEvent(events[name]))), outcome));

  test('tells of a recording that can be fetched for ten minutes', () => {
    const [recording] = factsOf(event('recordingSaved')).recordings;
    assert.equal(recording?.recordingId, '10cd86ac-fef8-4765-b203-0f7511f9fc75');
    assert.deepEqual(
      [recording.status, recording.channels, recording.durationMs, recording.startedAt, recording.mediaExpiresAt],
      ['available', 2, 45_500, NOON + 10_000, NOON + 60_000 + 600_000],
    );
    assert.match(recording.mediaUrl ?? '', /\.wav\?/);
    const bare = factsOf(
      event('recordingSaved', {
        recording_id: undefined,
        recording_urls: { mp3: 'https://a.telnyx.com/b' },
        recording_ended_at: '2020-01-01T00:00:00Z',
      }),
    ).recordings[0];
    assert.deepEqual(
      [bare?.recordingId, bare?.durationMs, bare?.mediaExpiresAt],
      [`event ${events['recordingSaved']?.data['id']}`, null, NOON + 62_521 + 600_000],
    );
    const [failed] = factsOf(event('recordingError')).recordings;
    assert.deepEqual([failed?.status, failed?.errorCode, failed?.mediaUrl], ['failed', 'Internal server error', null]);
  });

  test('that is not known is kept, and one that is of no call says nothing of any', () => {
    const [told] = factsOf(event('dtmf')).events;
    assert.deepEqual([told?.kind, told?.raw], ['other', 'call.dtmf.received']);
    const message = factsOf(deliverEvent(events['message']));
    assert.deepEqual([message.call, message.events, message.recordings], [null, [], []]);
  });
});
