import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TelnyxWebhook } from 'telnyx/lib/webhooks';
import type { Delivery } from '../../contract/delivery.ts';
import { deliverEvent, deliverForm, events, forms } from './fixtures/deliveries.ts';
import { telnyx } from './index.ts';

type Vector = {
  name: string;
  publicKey: string;
  rawBody: string;
  headers: Record<string, string>;
  clock: number;
  refusedAtClock: number;
};
const vectors: Vector[] = JSON.parse(readFileSync(new URL('./fixtures/signatures.json', import.meta.url), 'utf8'));

const createSigner = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64');
  const headersFor = (body: Buffer, seconds: number) => ({
    'telnyx-timestamp': String(seconds),
    'telnyx-signature-ed25519': sign(null, Buffer.concat([Buffer.from(`${seconds}|`), body]), privateKey).toString(
      'base64',
    ),
  });
  return { key, headersFor };
};

const SECONDS = 1_794_830_400;
const signer = createSigner();
const signed = (delivery: Delivery, seconds = SECONDS): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...signer.headersFor(delivery.body, seconds) },
});
const verdictOf = (delivery: Delivery, { keys = [signer.key], seconds = SECONDS } = {}): string => {
  const verdict = telnyx.verify(
    delivery,
    keys.map((value, index) => ({ id: `s${index + 1}`, value })),
    { publicUrl: 'https://hooks.example.test', now: seconds * 1_000 },
  );
  return verdict.ok ? verdict.secretId : verdict.reason;
};
const withHeaders = (delivery: Delivery, headers: Delivery['headers']): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});

describe('a signature from the collection', () => {
  for (const { name, publicKey, rawBody, headers, clock, refusedAtClock } of vectors) {
    const delivery = withHeaders({ ...deliverEvent({}), body: Buffer.from(rawBody) }, headers);
    const judge = (tampered: Delivery, seconds = clock) => verdictOf(tampered, { keys: [publicKey], seconds });

    test(`is taken for what it is, for five minutes: ${name}`, () => {
      assert.equal(judge(delivery), 's1');
      assert.equal(judge(delivery, refusedAtClock), 'stale');
      assert.equal(judge(delivery, clock - 302), 'stale');
    });

    test(`does not fit anything else: ${name}`, () => {
      assert.equal(judge({ ...delivery, body: Buffer.from(`${rawBody} `) }), 'bad_signature');
      assert.equal(judge({ ...delivery, body: Buffer.from(rawBody.replace('caller', 'callee')) }), 'bad_signature');
      const later = String(Number(headers['telnyx-timestamp']) + 1);
      assert.equal(judge(withHeaders(delivery, { 'telnyx-timestamp': later })), 'bad_signature');
    });
  }
});

describe('a request signed with the key of the account', () => {
  test('is verified in both languages, with any of the secrets, and it is known which', () => {
    for (const delivery of [deliverForm(forms['incoming']), deliverEvent(events['hangup'])]) {
      assert.equal(verdictOf(signed(delivery)), 's1');
      assert.equal(verdictOf(signed(delivery), { keys: [createSigner().key, signer.key] }), 's2');
    }
  });

  test("is verified by the vendor's own library too, and what that refuses is refused here", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const accepts = (payload: string, headers: Record<string, string>) =>
      new TelnyxWebhook(signer.key).verify(payload, headers).then(
        () => true,
        () => false,
      );
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.constantFrom('none', 'body', 'timestamp', 'signature'),
        fc.integer({ min: -310, max: 310 }).filter((offset) => Math.abs(Math.abs(offset) - 300) > 2),
        async (name, tampering, offset) => {
          const delivery = deliverForm({ ...forms['incoming'], CallerName: name.toWellFormed() });
          const headers = signer.headersFor(delivery.body, now + offset);
          if (tampering === 'timestamp') headers['telnyx-timestamp'] = String(now + offset + 1);
          if (tampering === 'signature')
            headers['telnyx-signature-ed25519'] = headers['telnyx-signature-ed25519'].replace(/^./, (first) =>
              first === 'A' ? 'B' : 'A',
            );
          const body = tampering === 'body' ? Buffer.concat([delivery.body, Buffer.from('&a=1')]) : delivery.body;
          const ours = verdictOf(withHeaders({ ...delivery, body }, headers), { seconds: now });
          assert.equal(ours === 's1', await accepts(body.toString('utf8'), headers));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('is refused with another key, none, one that is no key, or without its headers', () => {
    const delivery = signed(deliverForm(forms['incoming']));
    for (const keys of [[createSigner().key], [], [''], ['undefined'], ['AAAA'], ['A'.repeat(44)]])
      assert.equal(verdictOf(delivery, { keys }), 'bad_signature', keys.join());
    for (const header of ['telnyx-signature-ed25519', 'telnyx-timestamp'])
      for (const value of [undefined, ''])
        assert.equal(verdictOf(withHeaders(delivery, { [header]: value })), 'missing');
    for (const headers of [
      { 'telnyx-timestamp': '12x' },
      { 'telnyx-timestamp': ` ${SECONDS}` },
      { 'telnyx-timestamp': '9'.repeat(30) },
      { 'telnyx-signature-ed25519': 'AAAA' },
      { 'telnyx-signature-ed25519': `${delivery.headers['telnyx-signature-ed25519']}, x` },
    ])
      assert.equal(verdictOf(withHeaders(delivery, headers)), 'malformed', JSON.stringify(headers));
  });

  test('is refused six minutes before and after, and taken five minutes before and after', () => {
    const delivery = signed(deliverForm(forms['incoming']));
    for (const offset of [-300, 0, 300]) assert.equal(verdictOf(delivery, { seconds: SECONDS + offset }), 's1');
    for (const offset of [-360, -301, 301, 360])
      assert.equal(verdictOf(delivery, { seconds: SECONDS + offset }), 'stale');
  });
});

describe('what is signed and still not believed', () => {
  test('a GET, because what it says is not covered', () => {
    const get: Delivery = {
      ...deliverForm({}),
      method: 'GET',
      target: '/voice?CallSid=v3:abcdefgh&CallStatus=ringing',
    };
    assert.equal(verdictOf(signed({ ...get, body: Buffer.alloc(0) })), 'malformed');
    assert.equal(telnyx.recognizes(get), true);
    assert.equal(verdictOf(get), 'missing');
  });

  test('a query that holds more than what we put there, or something twice', () => {
    for (const query of ['CallStatus=completed', 'account=a1&x=1', 'step=status&step=dialed', 'bodySHA256=0'])
      assert.equal(
        verdictOf(signed({ ...deliverForm(forms['incoming']), target: `/voice?${query}` })),
        'malformed',
        query,
      );
    assert.equal(verdictOf(signed({ ...deliverForm(forms['incoming']), target: '/voice' })), 's1');
  });

  test('one language under the content type of the other', () => {
    const smuggled = deliverEvent({ ...events['hangup'], name: '&CallSid=v3:abcdefgh&CallStatus=completed&x=' });
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', ''])
      assert.equal(verdictOf(signed(withHeaders(smuggled, { 'content-type': type }))), 'malformed', type);
    const form = withHeaders(deliverForm(forms['incoming']), { 'content-type': 'application/json' });
    assert.equal(verdictOf(signed(form)), 'malformed');
  });

  test('a name that is there twice, no call, no event', () => {
    const raw = (body: string): Delivery => ({ ...deliverForm({}), body: Buffer.from(body) });
    assert.equal(verdictOf(signed(raw('CallSid=v3:abcdefgh&CallSid=v3:ijklmnop'))), 'malformed');
    for (const id of ['v3:abcdefgh%20', 'v3:abcdefgh/../x', '/v3:abcdefgh', 'v3:abcd', 'a'.repeat(201)])
      assert.equal(verdictOf(signed(raw(`CallSid=${id}`))), 'malformed', id);
    assert.equal(verdictOf(signed(raw('CallStatus=ringing'))), 'malformed');
    assert.equal(verdictOf(signed(raw(''))), 'malformed');
    for (const event of [[], {}, { data: null }, { data: { event_type: 'call.hangup' } }])
      assert.equal(verdictOf(signed(deliverEvent(event))), 'malformed', JSON.stringify(event));
  });
});
