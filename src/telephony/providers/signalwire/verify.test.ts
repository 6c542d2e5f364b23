import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Delivery } from '../../contract/delivery.ts';
import { deliver, type Form, forms } from './fixtures/deliveries.ts';
import { signalwire } from './index.ts';

type Library = {
  RestClient: {
    validateRequest(key: string, signature: string, url: string, params: Record<string, string | string[]>): boolean;
  };
};
// Its types cannot be found from a module, so that it is called by hand.
const library: Library = createRequire(import.meta.url)('@signalwire/compatibility-api');
const { validateRequest } = library.RestClient;

type Vector = {
  name: string;
  signingKey: string;
  method: 'GET' | 'POST';
  url: string;
  params?: Form;
  headers: Record<string, string>;
};
const vectors: Vector[] = JSON.parse(readFileSync(new URL('./fixtures/signatures.json', import.meta.url), 'utf8'));

const PUBLIC = 'https://hooks.example.test';
const KEY = 'PSK_a_signing_key';
const HEADER = 'x-signalwire-signature';

/** Signs as the documentation tells; that it does is checked with the vendor's library below. */
const sign = (url: string, values: readonly (readonly [string, string])[], key = KEY): string =>
  createHmac('sha1', key)
    .update(url + values.map(([name, value]) => name + value).join(''))
    .digest('base64');
const sortedEntries = (form: Form) => Object.entries(form).sort(([left], [right]) => (left < right ? -1 : 1));
const withHeaders = (delivery: Delivery, headers: Delivery['headers']): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});
const signed = (form: Form, { target, header = HEADER }: { target?: string; header?: string } = {}): Delivery => {
  const delivery = { ...deliver(form), ...(target ? { target } : {}) };
  return withHeaders(delivery, { [header]: sign(`${PUBLIC}${delivery.target}`, sortedEntries(form)) });
};
const verdictOf = (delivery: Delivery, keys = [KEY], publicUrl = PUBLIC): string => {
  const secrets = keys.map((value, index) => ({ id: `s${index + 1}`, value }));
  const verdict = signalwire.verify(delivery, secrets, { publicUrl, now: 0 });
  return verdict.ok ? verdict.secretId : verdict.reason;
};
const CALL = forms['incoming'] ?? {};

describe('a signature from the collection', () => {
  for (const { name, signingKey, method, url, params = {}, headers } of vectors) {
    const target = url.slice(PUBLIC.length);
    const body = method === 'POST' ? deliver(params).body : Buffer.alloc(0);
    const delivery = withHeaders({ ...deliver({}), method, target, body }, headers);
    const judge = (tampered: Delivery) => verdictOf(tampered, [signingKey]);

    test(`is taken for what it is, here and by the vendor: ${name}`, () => {
      assert.equal(judge(delivery), 's1');
      assert.equal(validateRequest(signingKey, Object.values(headers)[0] ?? '', url, params), true);
    });

    test(`does not fit anything else: ${name}`, () => {
      assert.equal(judge({ ...delivery, target: `${target}&x=1` }), 'bad_signature');
      assert.equal(
        judge({ ...delivery, target: target.replace('voice', 'recording').replace('?', '?step=status&') }),
        'bad_signature',
      );
      assert.equal(verdictOf(delivery, ['another']), 'bad_signature');
      assert.equal(verdictOf(delivery, [signingKey], 'https://other.example.test'), 'bad_signature');
      assert.equal(verdictOf(delivery, [signingKey], 'http://hooks.example.test'), 'bad_signature');
      if (method === 'POST') {
        assert.equal(judge({ ...delivery, body: Buffer.concat([body, Buffer.from('&X=1')]) }), 'bad_signature');
        assert.equal(judge({ ...delivery, body: Buffer.from(body.toString().replace('1', '2')) }), 'bad_signature');
        assert.equal(judge({ ...delivery, method: 'GET' }), 'bad_signature');
      }
    });
  }
});

describe('a request signed with the key of the project', () => {
  test('is verified under both headers, with any of the secrets, and it is known which', () => {
    assert.equal(verdictOf(signed(CALL)), 's1');
    assert.equal(verdictOf(signed(CALL, { header: 'x-twilio-signature' })), 's1');
    assert.equal(verdictOf(signed(CALL), ['older', KEY]), 's2');
  });

  test('is judged by its own header where there are two', () => {
    assert.equal(verdictOf(withHeaders(signed(CALL), { 'x-twilio-signature': 'x' })), 's1');
    assert.equal(
      verdictOf(withHeaders(signed(CALL, { header: 'x-twilio-signature' }), { [HEADER]: 'x' })),
      'bad_signature',
    );
  });

  test("is verified whatever its values are, as the vendor's own library does", () => {
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
          const delivery = withHeaders(deliver(sent), { [HEADER]: header });
          const theirs = validateRequest(key, header, `${PUBLIC}${delivery.target}`, sent);
          assert.equal(verdictOf(delivery, [key]) === 's1', theirs);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('is refused without a signature, with an empty one, without secrets', () => {
    assert.equal(verdictOf(deliver(CALL)), 'missing');
    assert.equal(verdictOf(withHeaders(deliver(CALL), { [HEADER]: '' })), 'missing');
    assert.equal(verdictOf(withHeaders(deliver(CALL), { [HEADER]: 'undefined' })), 'bad_signature');
    assert.equal(verdictOf(signed(CALL), []), 'bad_signature');
  });

  test('is verified as JSON by the digest in its address, and refused with another body', () => {
    const body = JSON.stringify({ CallSid: CALL['CallSid'], CallStatus: 'ringing' });
    const digest = createHash('sha256').update(body).digest('hex');
    const target = `/api/webhooks/telephony/voice?bodySHA256=${digest}`;
    const delivery = withHeaders(
      { ...deliver({}), target, body: Buffer.from(body) },
      { 'content-type': 'application/json', [HEADER]: sign(`${PUBLIC}${target}`, []) },
    );
    assert.equal(verdictOf(delivery), 's1');
    assert.equal(verdictOf({ ...delivery, body: Buffer.from(body.replace('ringing', 'completed')) }), 'bad_signature');
  });
});

describe('what is signed and still not believed', () => {
  test('params that are cut elsewhere', () => {
    const form = { AccountSid: CALL['AccountSid'] ?? '', CallSid: CALL['CallSid'] ?? '', CallStatus: 'ringing' };
    const signature = signed(form).headers[HEADER];
    for (const recut of [
      { AccountSid: form.AccountSid, CallSid: `${form.CallSid}CallStatusringing` },
      { AccountSid: `${form.AccountSid}CallSid${form.CallSid}`, CallStatus: 'ringing' },
    ])
      assert.equal(verdictOf(withHeaders(deliver(recut), { [HEADER]: signature })), 'malformed');
  });

  test('an id with anything before or after it', () => {
    const id = CALL['CallSid'] ?? '';
    for (const name of ['CallSid', 'ParentCallSid', 'DialCallSid', 'AccountSid', 'RecordingSid']) {
      assert.equal(verdictOf(signed({ ...CALL, [name]: id })), 's1', name);
      for (const wrong of [`${id}0`, `0${id}`, `${id} `, `${id}\n`, `${id}/../x`, id.slice(1)])
        assert.equal(verdictOf(signed({ ...CALL, [name]: wrong })), 'malformed', `${name}: ${wrong}`);
    }
  });

  test('a query of somebody else', () => {
    assert.equal(verdictOf(signed(CALL, { target: '/voice?account=a1&step=dialed' })), 's1');
    assert.equal(verdictOf(signed(CALL, { target: '/voice?account=a1&more=1' })), 'malformed');
  });

  test('a name that is there twice, which the vendor joins as it comes and others sort', () => {
    const url = `${PUBLIC}${deliver(CALL).target}`;
    const twice = (values: readonly [string, string]) => {
      const entries = [...sortedEntries(CALL), ...values.map((value) => ['Zone', value] as const)];
      const body = Buffer.from(
        new URLSearchParams(entries.map(([name, value]): [string, string] => [name, value])).toString(),
      );
      const signature = sign(url, entries);
      assert.equal(validateRequest(KEY, signature, url, { ...CALL, Zone: [...values] }), true);
      return withHeaders({ ...deliver(CALL), body }, { [HEADER]: signature });
    };
    assert.equal(verdictOf(twice(['1', '2'])), 'malformed');
    assert.equal(verdictOf(twice(['2', '1'])), 'bad_signature');
    assert.equal(verdictOf(twice(['1', '1'])), 'bad_signature');
    const doubled = Buffer.concat([deliver(CALL).body, Buffer.from('&CallStatus=ringing')]);
    assert.equal(verdictOf({ ...signed(CALL), body: doubled }), 'malformed');
  });
});
