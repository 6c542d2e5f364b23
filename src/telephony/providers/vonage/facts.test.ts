import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deliverJson, type Payload, type Where } from '../../../../test/harness/vendors/deliver.ts';
import { get, NOW, payload, payloads, post } from '../../../../test/harness/vendors/vonage.ts';
import { vonage } from './index.ts';

const eventsOf = (told: Payload, where: Where = {}) => vonage.factsOf(deliverJson(told, where), NOW).events;

describe('what a delivery says', () => {
  test('counts for the caller if it is inbound, whatever the URL says: only the direction is signed', () => {
    assert.equal(eventsOf(payload('callerAnswered'), { step: 'dialed' })[0]?.kind, 'answered');
    assert.equal(eventsOf(payload('callerCompleted'), { step: 'dialed' })[0]?.kind, 'ended');
  });

  test('is outbound for a leg of our own', () => {
    const { call } = vonage.factsOf(deliverJson(payload('legRinging'), { step: 'status' }), NOW);
    assert.equal(call?.direction, 'outbound');
  });

  test('is cut if an unknown word is too long', () => {
    assert.equal(eventsOf({ ...payload('callerStarted'), status: 'x'.repeat(5_000) })[0]?.raw?.length, 120);
  });
});

describe('repetition', () => {
  test('the same token is the same delivery, whatever the URL says', () => {
    const key = vonage.keyOf(get(payload('answer')));
    const busy = (step: string) => post(payload('legBusy'), { step });
    assert.equal(vonage.keyOf(get({ ...payload('answer'), from: '15551230009' }, { step: 'screen' })), key);
    assert.equal(vonage.keyOf(busy('dialed')), vonage.keyOf(busy('screen')));
    assert.notEqual(vonage.keyOf(post(payload('answer'), { claims: { jti: 'another' } })), key);
  });

  test('the same fact in a new token is the same event; every other fact differs', () => {
    const keyOf = (told: Payload, jti: string) => vonage.factsOf(post(told, { claims: { jti } }), NOW).events[0]?.key;
    assert.equal(keyOf(payload('callerRinging'), 'one'), keyOf(payload('callerRinging'), 'two'));
    const keys = Object.values(payloads).flatMap((told) => eventsOf(told, { step: 'dialed' }).map(({ key }) => key));
    assert.equal(new Set(keys).size, keys.length);
  });
});
