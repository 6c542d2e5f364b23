import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import twilioSdk from 'twilio';
import type { Delivery } from '../../contract/delivery.ts';
import { twilio } from './index.ts';

const { getExpectedTwilioSignature } = twilioSdk;

type Vector = {
  name: string;
  authToken: string;
  method: 'GET' | 'POST';
  url: string;
  contentType?: string;
  params?: Record<string, string>;
  rawBody?: string;
  headers: Record<string, string>;
};

const vectors: Vector[] = JSON.parse(readFileSync(new URL('./fixtures/signatures.json', import.meta.url), 'utf8'));

const FORM = 'application/x-www-form-urlencoded';
const PUBLIC = 'https://hooks.example.test';
const VOICE = '/api/webhooks/telephony/voice';
const TOKEN = 'an-auth-token';
const CALL = { CallSid: `CA${'0'.repeat(32)}`, AccountSid: `AC${'1'.repeat(32)}`, CallStatus: 'ringing' };
const context = { publicUrl: PUBLIC, now: 0 };

const deliver = ({ method = 'POST', target = VOICE, body = '', type = FORM, signature = '' }): Delivery => ({
  route: 'voice',
  method: method as Delivery['method'],
  target,
  headers: { 'content-type': type, ...(signature ? { 'x-twilio-signature': signature } : {}) },
  body: Buffer.from(body),
});

const signedForm = (
  params: Record<string, string>,
  { target = VOICE, address }: { target?: string; address?: string } = {},
) =>
  deliver({
    target,
    body: new URLSearchParams(params).toString(),
    signature: getExpectedTwilioSignature(TOKEN, address ?? `${PUBLIC}${target}`, params),
  });

const verify = (delivery: Delivery, tokens = [TOKEN], publicUrl = PUBLIC) =>
  twilio.verify(
    delivery,
    tokens.map((value, index) => ({ id: `s${index + 1}`, value })),
    { ...context, publicUrl },
  );

describe('a published signature', () => {
  for (const { name, authToken, method, url, contentType = FORM, params = {}, rawBody, headers } of vectors) {
    const { origin, pathname, search } = new URL(url);
    const target = url.slice(origin.length) || `${pathname}${search}`;
    const body = rawBody ?? (method === 'POST' ? new URLSearchParams(params).toString() : '');
    const delivery: Delivery = {
      ...deliver({ method, target, body, type: contentType }),
      headers: { 'content-type': contentType, ...headers },
    };
    const reasonOf = (tampered: Delivery) => {
      const verdict = verify(tampered, [authToken], origin);
      return verdict.ok ? 'accepted' : verdict.reason;
    };

    test(`is taken for what it is: ${name}`, () => {
      // The oldest example has an address of its own and an id that is too short: signed well, and still not ours.
      const expected = /published/.test(name) ? 'malformed' : 'accepted';
      assert.equal(reasonOf(delivery), expected);
    });

    test(`does not fit anything else: ${name}`, () => {
      const bent = { ...delivery, target: `${delivery.target}${delivery.target.includes('?') ? '&' : '?'}x=1` };
      assert.equal(reasonOf(bent), 'bad_signature');
      if (body) assert.equal(reasonOf({ ...delivery, body: Buffer.from(`${body} `) }), 'bad_signature');
    });
  }
});

describe("a request that the vendor's own library has signed", () => {
  test('is verified, with any of the secrets, and it is known which', () => {
    assert.deepEqual(verify(signedForm(CALL)), { ok: true, secretId: 's1' });
    assert.deepEqual(verify(signedForm(CALL), ['older', TOKEN]), { ok: true, secretId: 's2' });
  });

  test('is verified whatever its values are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 20 }), (name, city) => {
        const wellFormed = { ...CALL, CallerName: name.toWellFormed(), FromCity: city };
        assert.equal(verify(signedForm(wellFormed)).ok, true);
      }),
      { numRuns: 200 },
    );
  });

  test('is verified with the standard port in its address or without', () => {
    assert.equal(verify(signedForm(CALL, { address: `https://hooks.example.test:443${VOICE}` })).ok, true);
    assert.equal(verify(signedForm(CALL), [TOKEN], 'https://hooks.example.test').ok, true);
  });

  test('is refused with another secret, scheme, host, path, or none at all', () => {
    for (const address of [
      `http://hooks.example.test${VOICE}`,
      `https://other.example.test${VOICE}`,
      `${PUBLIC}${VOICE}/`,
      `${PUBLIC}${VOICE}?a=1`,
    ])
      assert.deepEqual(verify(signedForm(CALL, { address })), { ok: false, reason: 'bad_signature' }, address);
    assert.deepEqual(verify(signedForm(CALL), ['another']), { ok: false, reason: 'bad_signature' });
    assert.deepEqual(verify(signedForm(CALL), []), { ok: false, reason: 'bad_signature' });
    assert.deepEqual(verify(deliver({ body: 'CallSid=1' })), { ok: false, reason: 'missing' });
  });

  test('is not believed where the same signature also fits params that are cut elsewhere', () => {
    const signature = getExpectedTwilioSignature(TOKEN, `${PUBLIC}${VOICE}`, CALL);
    const recut = [
      { AccountSid: `${CALL.AccountSid}CallSid${CALL.CallSid}`, CallStatus: 'ringing' },
      { ...CALL, CallStatus: undefined, CallSid: `${CALL.CallSid}CallStatusringing` },
      { AccountSid: CALL.AccountSid, CallSidC: CALL.CallSid.slice(1), CallStatus: 'ringing' },
    ];
    for (const params of recut) {
      const known = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const verdict = verify(deliver({ body: new URLSearchParams(known).toString(), signature }));
      assert.equal(verdict.ok, false, JSON.stringify(params));
    }
    const swallowed = `${VOICE}AccountSid${CALL.AccountSid}CallSid${CALL.CallSid}CallStatusringing`;
    assert.equal(verify(deliver({ method: 'GET', target: swallowed, signature })).ok, false);
  });

  test('holds no id with anything before or after it, although it is signed', () => {
    const ids = {
      CallSid: CALL.CallSid,
      ParentCallSid: CALL.CallSid,
      DialCallSid: CALL.CallSid,
      AccountSid: CALL.AccountSid,
      RecordingSid: `RE${'2'.repeat(32)}`,
    };
    for (const [name, id] of Object.entries(ids)) {
      assert.equal(verify(signedForm({ ...CALL, [name]: id })).ok, true, name);
      for (const wrong of [`${id}0`, `0${id}`, `${id} `, `${id}/../x`, id.slice(0, -1)])
        assert.deepEqual(
          verify(signedForm({ ...CALL, [name]: wrong })),
          { ok: false, reason: 'malformed' },
          `${name}: ${wrong}`,
        );
    }
  });

  test('holds no query of somebody else, although it is signed', () => {
    assert.deepEqual(verify(signedForm(CALL, { target: `${VOICE}?account=a1&step=dialed` })), {
      ok: true,
      secretId: 's1',
    });
    assert.deepEqual(verify(signedForm(CALL, { target: `${VOICE}?account=a1&more=1` })), {
      ok: false,
      reason: 'malformed',
    });
  });
});
