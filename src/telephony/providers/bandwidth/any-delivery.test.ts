import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Delivery } from '../../contract/delivery.ts';
import { ADDRESSES, deliver, factsOf, payloads, RECEIVED } from './fixtures/deliver.ts';
import { bandwidth } from './index.ts';

describe('whatever comes', () => {
  const names = [
    'eventType',
    'eventTime',
    'callId',
    'parentCallId',
    'cause',
    'duration',
    'answerTime',
    'endTime',
    'to',
  ];
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(payloads).map(({ eventType }) => eventType)));
  const body = fc.oneof(
    fc.string().map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc
      .dictionary(fc.constantFrom(...names, '__proto__', 'constructor'), value)
      .map((said) => Buffer.from(JSON.stringify(said))),
  );
  const delivery: fc.Arbitrary<Delivery> = fc.record({
    route: fc.constantFrom('voice', 'recording'),
    method: fc.constantFrom('GET', 'POST'),
    target: fc.oneof(
      fc.string().map((query) => `/voice?${query}`),
      fc.constantFrom(...Object.values(ADDRESSES)),
      fc.dictionary(fc.constantFrom(...names), fc.string()).map((query) => `/voice?${new URLSearchParams(query)}`),
    ),
    headers: fc.record({
      'content-type': fc.constantFrom('application/json', ''),
      authorization: fc.oneof(fc.string(), fc.constant('Basic dTpw')),
    }),
    body,
  });

  test('is read without a fault', () => {
    fc.assert(
      fc.property(delivery, (any) => {
        bandwidth.recognizes(any);
        bandwidth.accountIdOf(any);
        bandwidth.verify(any, [{ id: 's1', value: 'u:p' }], { publicUrl: 'https://hooks.example.test', now: 0 });
        bandwidth.occasionOf(any);
        bandwidth.calledParty(any);
        assert.match(bandwidth.keyOf(any), /^[0-9a-f]{64}$/);
        for (const { occurredAt, talkSeconds = 0 } of bandwidth.factsOf(any, RECEIVED).events) {
          assert.ok(Number.isFinite(occurredAt));
          assert.ok(talkSeconds >= 0 && Number.isInteger(talkSeconds));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('is read however deep it is', () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const deep = {
      ...deliver('initiate'),
      body: Buffer.from(`{"eventType":"initiate","callId":"c-1","diversion":${nested}}`),
    };
    assert.equal(factsOf(deep).call?.callKey, 'c-1');
    assert.equal(bandwidth.recognizes(deep), true);
  });

  test('is taken for a delivery by what it says, and not by a password', () => {
    assert.equal(bandwidth.recognizes(deliver('initiate')), true);
    assert.equal(bandwidth.recognizes(deliver('legTalked')), true);
    assert.equal(bandwidth.accountIdOf(deliver('initiate')), '9900778');
    assert.equal(bandwidth.accountIdOf(deliver('legTalked')), null);
    const password = { 'content-type': 'application/json', authorization: 'Basic dTpw' };
    assert.equal(bandwidth.recognizes({ ...deliver('initiate'), headers: password, body: Buffer.from('{}') }), false);
    assert.equal(
      bandwidth.recognizes({ ...deliver('initiate'), body: Buffer.from('{"eventType":"initiate"}') }),
      false,
    );
  });
});
