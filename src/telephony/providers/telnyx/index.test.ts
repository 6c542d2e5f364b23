import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Delivery } from '../../contract/delivery.ts';
import { deliverEvent, deliverForm, events, forms } from './fixtures/deliveries.ts';
import { NOON } from './fixtures/stories.ts';
import { telnyx } from './index.ts';

describe('whose it is', () => {
  test('is seen by its headers, its ids or its envelope, and by nothing else', () => {
    for (const name of Object.keys(forms)) assert.equal(telnyx.recognizes(deliverForm(forms[name])), true, name);
    for (const each of Object.values(events)) assert.equal(telnyx.recognizes(deliverEvent(each)), true);
    assert.equal(telnyx.recognizes({ ...deliverForm({}), headers: { 'telnyx-timestamp': '1' } }), true);
    assert.equal(telnyx.recognizes(deliverForm({ CallSid: `CA${'0'.repeat(32)}` })), false);
    assert.equal(telnyx.recognizes({ ...deliverForm({}), headers: { authorization: 'Bearer x' } }), false);
  });

  test('is named by the account of a form and by the application of an event', () => {
    assert.equal(telnyx.accountIdOf(deliverForm(forms['incoming'])), 'f5586561-8ff0-4291-a51b-000000000001');
    assert.equal(telnyx.accountIdOf(deliverEvent(events['hangup'])), '7267000000000000001');
    assert.equal(telnyx.calledParty(deliverForm(forms['incoming'])).value, '+15551239999');
    assert.equal(telnyx.calledParty(deliverEvent(events['initiated'])).value, '+15551239999');
  });
});

test('nothing that can be sent makes it fail', () => {
  const anyEvent = fc.record({
    data: fc.oneof(
      fc.anything(),
      fc.record({
        id: fc.anything(),
        event_type: fc.constantFrom('call.hangup', 'call.recording.saved', 'x'),
        occurred_at: fc.anything(),
        payload: fc.oneof(
          fc.anything(),
          fc.dictionary(
            fc.constantFrom('call_session_id', 'from', 'recording_urls', 'channels', 'recording_started_at'),
            fc.anything(),
          ),
        ),
      }),
    ),
  });
  const body = fc.oneof(
    anyEvent.map((value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)) ?? ''),
    fc
      .dictionary(
        fc.constantFrom(...Object.keys({ ...forms['completedWithDial'], ...forms['recordingDone'], Digits: '' })),
        fc.string(),
      )
      .map((params) => new URLSearchParams(params).toString()),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(
      body,
      fc.constantFrom('GET', 'POST'),
      fc.constantFrom('application/json', 'application/x-www-form-urlencoded', ''),
      fc.string(),
      (text, method, type, query) => {
        const delivery: Delivery = {
          route: 'voice',
          method: method as Delivery['method'],
          target: `/voice?${query}`,
          headers: { 'content-type': type, 'telnyx-timestamp': '1', 'telnyx-signature-ed25519': `${'A'.repeat(86)}==` },
          body: Buffer.from(text),
        };
        telnyx.recognizes(delivery);
        telnyx.accountIdOf(delivery);
        telnyx.occasionOf(delivery);
        telnyx.calledParty(delivery);
        telnyx.factsOf(delivery, NOON);
        assert.equal(typeof telnyx.keyOf(delivery), 'string');
        assert.equal(
          telnyx.verify(delivery, [{ id: 's', value: `${'A'.repeat(43)}=` }], {
            publicUrl: 'https://a.example',
            now: NOON,
          }).ok,
          false,
        );
      },
    ),
    { numRuns: 500 },
  );
});
