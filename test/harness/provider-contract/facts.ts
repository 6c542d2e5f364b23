import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assembleCall } from '../../../src/telephony/calls/call.ts';
import { type Delivery, FORM, JSON_TYPE } from '../../../src/telephony/contract/delivery.ts';
import type { TelephonyProvider } from '../../../src/telephony/contract/provider.ts';
import { anyCharacter } from '../any-character.ts';
import { withHeaders } from '../vendors/deliver.ts';
import { type ProviderContract, pickLike, verdictOf } from './contract.ts';

export const testFacts = (provider: TelephonyProvider, contract: ProviderContract): void => {
  const { now, receivedAt = now, deliveries } = contract;

  describe('a delivery', () => {
    test('is recognized by its content, signed or not', () => {
      for (const [name, delivery] of Object.entries(deliveries))
        for (const each of [delivery, contract.sign(delivery)]) assert.equal(provider.recognizes(each), true, name);
    });

    for (const [what, delivery] of contract.recognized)
      test(`is recognized: ${what}`, () => assert.equal(provider.recognizes(delivery), true));

    for (const [what, delivery] of contract.strangers)
      test(`is not recognized: ${what}`, () => assert.equal(provider.recognizes(delivery), false));

    test('is not recognized by an Authorization header alone', () => {
      const [first] = Object.values(deliveries);
      for (const authorization of ['Bearer x', 'Bearer a.b.c', 'Basic dTpw'])
        for (const type of [FORM, JSON_TYPE]) {
          const headers = { 'content-type': type, authorization };
          assert.equal(provider.recognizes({ ...first, headers, body: Buffer.alloc(0) } as Delivery), false);
        }
    });

    test('names its account and the called number', () => {
      for (const [what, delivery, account] of contract.accounts)
        assert.equal(provider.accountIdOf(delivery), account, what);
      for (const [what, delivery, number] of contract.called)
        assert.equal(provider.calledParty(delivery).value, number, what);
    });

    test('has the same key every time, and no other delivery has it', () => {
      const signed = Object.entries(deliveries).map(([name, each]): [string, Delivery] => [name, contract.sign(each)]);
      for (const [name, delivery] of signed) {
        const again = withHeaders({ ...delivery, body: Buffer.from(delivery.body) }, { 'x-retry': '1' });
        assert.equal(provider.keyOf(again), provider.keyOf(delivery), name);
        const keys = [again, delivery].map((each) => provider.factsOf(each, receivedAt).events.map(({ key }) => key));
        assert.deepEqual(keys[0], keys[1], name);
      }
      assert.equal(new Set(signed.map(([, delivery]) => provider.keyOf(delivery))).size, signed.length);
    });

    test('has another key at another URL, unless only its content is signed', () => {
      const { address, content } = contract.covers;
      const [first] = Object.values(deliveries);
      assert.ok(first);
      const signed = contract.sign(first);
      const keys = [signed, { ...signed, target: `${first.target}&step=dialed` }].map((each) => provider.keyOf(each));
      assert.equal(keys[0] === keys[1], content && !address);
    });

    for (const [what, delivery, call] of contract.calls)
      test(`is about a call: ${what}`, () => assert.deepEqual(provider.factsOf(delivery, receivedAt).call, call));

    for (const [what, delivery, expected] of contract.events)
      test(`says what happened: ${what}`, () => {
        const events = provider
          .factsOf(delivery, receivedAt)
          .events.map(({ key, occurredAt, timeFrom, ...rest }) => rest);
        assert.deepEqual(events, expected);
      });

    for (const [what, delivery, occurredAt, timeFrom] of contract.times)
      test(`says when it happened: ${what}`, () => {
        const [event] = provider.factsOf(delivery, receivedAt).events;
        assert.deepEqual([event?.occurredAt, event?.timeFrom], [occurredAt, timeFrom]);
      });

    for (const [what, delivery, expected] of contract.recordings)
      test(`reports a recording: ${what}`, () => {
        const { recordings } = provider.factsOf(delivery, receivedAt);
        assert.equal(recordings.length, expected ? 1 : 0);
        if (expected) assert.deepEqual(pickLike(recordings[0], expected), expected);
      });

    for (const [what, delivery, expected] of contract.transcripts)
      test(`reports the text of a recording: ${what}`, () => {
        const { events, recordings, transcripts = [] } = provider.factsOf(delivery, receivedAt);
        assert.equal(transcripts.length, expected ? 1 : 0);
        if (!expected) return;
        assert.deepEqual(pickLike(transcripts[0], expected), expected);
        // The recording is announced, and nothing happens to the call.
        const announced = recordings.map(({ recordingId, status }) => ({ recordingId, status }));
        assert.deepEqual(
          [events, announced],
          [[], [{ recordingId: transcripts[0]?.recordingId, status: 'in_progress' }]],
        );
      });
  });

  describe('a call, whatever the order and repetition of its deliveries,', () => {
    for (const [what, deliveries, outcome, talkSeconds] of contract.stories)
      test(`is ${outcome}: ${what}`, () => {
        const told = deliveries.map((delivery, index) => provider.factsOf(delivery, receivedAt + index * 1_000));
        const direction = told.find(({ call }) => call?.direction)?.call?.direction ?? 'inbound';
        assert.ok(told.every(({ call }) => (call?.direction ?? direction) === direction));
        const events = told.flatMap((facts) => facts.events);
        const [all, again] = [fc.shuffledSubarray(events, { minLength: events.length }), fc.subarray(events)];
        fc.assert(
          fc.property(all, again, (shuffled, repeated) => {
            const call = assembleCall({ direction }, [...shuffled, ...repeated]);
            assert.deepEqual([call.status, call.outcome], ['ended', outcome]);
            if (talkSeconds !== undefined) assert.equal(call.talkSeconds, talkSeconds);
          }),
          { numRuns: 40 },
        );
      });
  });
};

export const testAnything = (provider: TelephonyProvider, contract: ProviderContract): void => {
  const { now, secret, sign, proofs, deliveries } = contract;
  const said = Object.values(deliveries).flatMap(({ body }) => {
    const text = body.toString();
    const pairs = text.startsWith('{') ? Object.entries<unknown>(JSON.parse(text)) : [...new URLSearchParams(text)];
    return pairs.map(([name, value]) => [name, value] as const);
  });
  const name = fc.constantFrom(...new Set(said.map(([each]) => each)), '__proto__', 'constructor', 'x');
  const word = fc.constantFrom(...said.map(([, value]) => value), '__proto__', 'constructor', 'toString', '-1');
  const text = fc.string({ unit: anyCharacter });
  const form = fc.dictionary(name, fc.oneof(word.map(String), text)).map((each) => `${new URLSearchParams(each)}`);
  const json = fc.dictionary(name, fc.oneof(word, fc.jsonValue(), text)).map((each) => JSON.stringify(each));
  const bytes = fc.uint8Array({ maxLength: 200 });
  const query = fc.oneof(fc.string(), form);
  const step = fc.constantFrom('', 'dialed', 'voicemail', 'screen', 'screened', 'status', '__proto__', '%zz');
  const anything: fc.Arbitrary<Delivery> = fc.record({
    route: fc.constantFrom('voice', 'recording'),
    method: fc.constantFrom('GET', 'POST'),
    target: fc.tuple(step, query).map(([at, more]) => `/voice?step=${at}&${more}`),
    headers: fc.record({
      'content-type': fc.constantFrom(FORM, JSON_TYPE, 'text/plain', ''),
      ...Object.fromEntries(proofs.map((proof) => [proof, fc.oneof(fc.string(), fc.constant('Bearer a.b.c'))])),
    }),
    body: fc
      .oneof(form, json, fc.json(), text, bytes, contract.bodies ?? form)
      .map((body) => Buffer.from(body as string)),
  });

  test('nothing throws, whatever arrives, signed or not', () => {
    fc.assert(
      fc.property(anything, (delivery) => {
        assert.notEqual(verdictOf(provider, delivery, { secrets: [secret], now }), 's1');
        for (const each of [delivery, sign(delivery)]) {
          verdictOf(provider, each, { secrets: [secret], now });
          provider.recognizes(each);
          provider.accountIdOf(each);
          provider.occasionOf(each);
          provider.calledParty(each);
          assert.equal(typeof provider.keyOf(each), 'string');
          for (const { occurredAt, talkSeconds = 0 } of provider.factsOf(each, now).events) {
            assert.ok(Number.isFinite(occurredAt));
            assert.ok(Number.isInteger(talkSeconds) && talkSeconds >= 0);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
};
