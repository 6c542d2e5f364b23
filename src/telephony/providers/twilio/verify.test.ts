import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { verdictOf } from '../../../../test/harness/provider-contract.ts';
import { deliverForm, type Form, PUBLIC_URL, withHeaders } from '../../../../test/harness/vendors/deliver.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { twilio } from './index.ts';

const TOKEN = 'an-auth-token';
const CALL = { CallSid: `CA${'0'.repeat(32)}`, AccountSid: `AC${'1'.repeat(32)}`, CallStatus: 'ringing' };
const { target } = deliverForm(CALL);

const verify = (delivery: Delivery) => verdictOf(twilio, delivery, { secrets: [TOKEN], now: 0 });
const signedFor = (address: string, form: Form = CALL): Delivery =>
  withHeaders(deliverForm(form), {
    'x-twilio-signature': getExpectedTwilioSignature(TOKEN, address, CALL),
  });

describe("a request signed by the vendor's own library", () => {
  test('is verified with or without the standard port in its URL', () => {
    assert.equal(verify(signedFor(`${PUBLIC_URL}:443${target}`)), 's1');
    assert.equal(verify(signedFor(`${PUBLIC_URL}${target}`)), 's1');
  });

  test('is refused if it was signed for another scheme, host, path or query', () => {
    for (const address of [
      `http://hooks.example.test${target}`,
      `https://other.example.test${target}`,
      `${PUBLIC_URL}${target.replace('?', '/?')}`,
      `${PUBLIC_URL}${target}&a=1`,
    ])
      assert.equal(verify(signedFor(address)), 'bad_signature', address);
  });

  test('is refused if the same signature fits params that are split differently', () => {
    const address = `${PUBLIC_URL}${target}`;
    for (const recut of [
      { AccountSid: `${CALL.AccountSid}CallSid${CALL.CallSid}`, CallStatus: 'ringing' },
      { AccountSid: CALL.AccountSid, CallSid: `${CALL.CallSid}CallStatusringing` },
      { AccountSid: CALL.AccountSid, CallSidC: CALL.CallSid.slice(1), CallStatus: 'ringing' },
    ])
      assert.equal(verify(signedFor(address, recut)), 'malformed', JSON.stringify(recut));
    const swallowed = `${target}AccountSid${CALL.AccountSid}CallSid${CALL.CallSid}CallStatusringing`;
    const genuine = signedFor(address);
    assert.notEqual(verify({ ...genuine, method: 'GET', target: swallowed, body: Buffer.alloc(0) }), 's1');
  });
});
