import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { verdictOf } from '../../../../test/harness/provider-contract.ts';
import {
  deliverForm,
  type Form,
  PUBLIC_URL,
  readFixture,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { signalwire } from './index.ts';

type Library = {
  RestClient: {
    validateRequest(key: string, signature: string, url: string, params: Record<string, string | string[]>): boolean;
  };
};
const library: Library = createRequire(import.meta.url)('@signalwire/compatibility-api');
const { validateRequest } = library.RestClient;

const KEY = 'PSK_a_signing_key';
const HEADER = 'x-signalwire-signature';
const CALL = readFixture<Record<string, Form>>('signalwire', 'cxml')['incoming'] ?? {};
const URL_OF_CALL = `${PUBLIC_URL}${deliverForm(CALL).target}`;

const sign = (values: readonly (readonly [string, string])[]): string =>
  createHmac('sha1', KEY)
    .update(URL_OF_CALL + values.map(([name, value]) => name + value).join(''))
    .digest('base64');
const sortedEntries = (form: Form) => Object.entries(form).sort(([left], [right]) => (left < right ? -1 : 1));
const signed = (form: Form, header = HEADER): Delivery =>
  withHeaders(deliverForm(form), { [header]: sign(sortedEntries(form)) });
const verify = (delivery: Delivery, key = KEY): string => verdictOf(signalwire, delivery, { secrets: [key], now: 0 });

describe("a request signed with the project's key", () => {
  test('is verified by either header, and by its own if there are both', () => {
    assert.equal(verify(signed(CALL, 'x-twilio-signature')), 's1');
    assert.equal(verify(withHeaders(signed(CALL), { 'x-twilio-signature': 'x' })), 's1');
    assert.equal(verify(withHeaders(signed(CALL, 'x-twilio-signature'), { [HEADER]: 'x' })), 'bad_signature');
    assert.equal(verify(withHeaders(deliverForm(CALL), { [HEADER]: 'undefined' })), 'bad_signature');
  });

  test("is accepted exactly if the vendor's own library accepts it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.constantFrom('none', 'value', 'signature', 'key'),
        (name, tampering) => {
          const form = { ...CALL, CallerName: name.toWellFormed() };
          const sent = tampering === 'value' ? { ...form, CallStatus: 'completed' } : form;
          const key = tampering === 'key' ? 'another-key' : KEY;
          const signature = String(signed(form).headers[HEADER]);
          const header = tampering === 'signature' ? signature.toLowerCase() : signature;
          const delivery = withHeaders(deliverForm(sent), { [HEADER]: header });
          assert.equal(verify(delivery, key) === 's1', validateRequest(key, header, URL_OF_CALL, sent));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('is refused if its params are split differently', () => {
    const form = { AccountSid: CALL['AccountSid'] ?? '', CallSid: CALL['CallSid'] ?? '', CallStatus: 'ringing' };
    const signature = signed(form).headers[HEADER];
    for (const recut of [
      { AccountSid: form.AccountSid, CallSid: `${form.CallSid}CallStatusringing` },
      { AccountSid: `${form.AccountSid}CallSid${form.CallSid}`, CallStatus: 'ringing' },
    ])
      assert.equal(verify(withHeaders(deliverForm(recut), { [HEADER]: signature })), 'malformed');
  });

  test('is refused if a name is repeated, which the vendor joins in order and others sort', () => {
    const twice = (values: readonly [string, string]) => {
      const entries = [...sortedEntries(CALL), ...values.map((value): [string, string] => ['Zone', value])];
      const signature = sign(entries);
      assert.equal(validateRequest(KEY, signature, URL_OF_CALL, { ...CALL, Zone: [...values] }), true);
      const body = Buffer.from(new URLSearchParams(entries).toString());
      return withHeaders({ ...deliverForm(CALL), body }, { [HEADER]: signature });
    };
    assert.equal(verify(twice(['1', '2'])), 'malformed');
    assert.equal(verify(twice(['2', '1'])), 'bad_signature');
    assert.equal(verify(twice(['1', '1'])), 'bad_signature');
    const doubled = Buffer.concat([deliverForm(CALL).body, Buffer.from('&CallStatus=ringing')]);
    assert.equal(verify({ ...signed(CALL), body: doubled }), 'malformed');
  });

  test('is refused as JSON whose body has another digest', () => {
    const target = `/api/webhooks/telephony/voice?bodySHA256=${'0'.repeat(64)}`;
    const signature = createHmac('sha1', KEY).update(`${PUBLIC_URL}${target}`).digest('base64');
    const headers = { 'content-type': 'application/json', [HEADER]: signature };
    const body = Buffer.from(JSON.stringify({ CallSid: CALL['CallSid'], CallStatus: 'completed' }));
    assert.equal(verify({ ...deliverForm({}), target, headers, body }), 'bad_signature');
  });
});
