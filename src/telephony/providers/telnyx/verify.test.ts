import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TelnyxWebhook } from 'telnyx/lib/webhooks';
import { verdictOf } from '../../../../test/harness/provider-contract.ts';
import { deliver, deliverForm, type Form, readFixture, withHeaders } from '../../../../test/harness/vendors/deliver.ts';
import { type Delivery, JSON_TYPE } from '../../contract/delivery.ts';
import { telnyx } from './index.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64');
const SECONDS = 1_794_830_400;
const FORM = readFixture<Record<string, Form>>('telnyx', 'texml')['incoming'] ?? {};

const headersFor = (body: Buffer, seconds: number) => ({
  'telnyx-timestamp': String(seconds),
  'telnyx-signature-ed25519': sign(null, Buffer.concat([Buffer.from(`${seconds}|`), body]), privateKey).toString(
    'base64',
  ),
});
const verify = (delivery: Delivery, { secrets = [KEY], seconds = SECONDS } = {}): string =>
  verdictOf(telnyx, delivery, { secrets, now: seconds * 1_000 });
const genuine = withHeaders(deliverForm(FORM), headersFor(deliverForm(FORM).body, SECONDS));

describe("a request signed with the account's key", () => {
  test("is accepted exactly if the vendor's own library accepts it", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const accepts = (payload: string, headers: Form) =>
      new TelnyxWebhook(KEY).verify(payload, headers).then(
        () => true,
        () => false,
      );
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.constantFrom('none', 'body', 'timestamp', 'signature'),
        fc.integer({ min: -310, max: 310 }).filter((offset) => Math.abs(Math.abs(offset) - 300) > 2),
        async (name, tampering, offset) => {
          const delivery = deliverForm({ ...FORM, CallerName: name.toWellFormed() });
          const headers = headersFor(delivery.body, now + offset);
          if (tampering === 'timestamp') headers['telnyx-timestamp'] = String(now + offset + 1);
          if (tampering === 'signature')
            headers['telnyx-signature-ed25519'] = headers['telnyx-signature-ed25519'].replace(/^./, (first) =>
              first === 'A' ? 'B' : 'A',
            );
          const body = tampering === 'body' ? Buffer.concat([delivery.body, Buffer.from('&a=1')]) : delivery.body;
          const ours = verify(withHeaders({ ...delivery, body }, headers), { seconds: now });
          assert.equal(ours === 's1', await accepts(body.toString('utf8'), headers));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('is refused with an invalid key, and with malformed headers', () => {
    for (const key of ['AAAA', 'A'.repeat(44)]) assert.equal(verify(genuine, { secrets: [key] }), 'bad_signature', key);
    for (const headers of [
      { 'telnyx-timestamp': '12x' },
      { 'telnyx-timestamp': ` ${SECONDS}` },
      { 'telnyx-timestamp': '9'.repeat(30) },
      { 'telnyx-signature-ed25519': 'AAAA' },
      { 'telnyx-signature-ed25519': `${genuine.headers['telnyx-signature-ed25519']}, x` },
    ])
      assert.equal(verify(withHeaders(genuine, headers)), 'malformed', JSON.stringify(headers));
  });

  test('is accepted within five minutes before and after', () => {
    for (const offset of [-300, 0, 300]) assert.equal(verify(genuine, { seconds: SECONDS + offset }), 's1');
    for (const offset of [-360, -301, 301, 360])
      assert.equal(verify(genuine, { seconds: SECONDS + offset }), 'stale', String(offset));
  });

  test('goes stale when the published ones do', () => {
    type Vector = { publicKey: string; rawBody: string; headers: Form; clock: number; refusedAtClock: number };
    for (const vector of readFixture<Vector[]>('telnyx', 'signatures')) {
      const delivery = withHeaders(deliver(JSON_TYPE, vector.rawBody), vector.headers);
      for (const seconds of [vector.refusedAtClock, vector.clock - 302])
        assert.equal(verify(delivery, { secrets: [vector.publicKey], seconds }), 'stale');
    }
  });

  test('is missing its headers in a GET, which is recognized', () => {
    const get: Delivery = {
      ...deliverForm({}),
      method: 'GET',
      target: '/voice?CallSid=v3:abcdefgh&CallStatus=ringing',
    };
    assert.equal(telnyx.recognizes(get), true);
    assert.equal(verify(get), 'missing');
  });
});
