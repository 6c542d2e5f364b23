import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verdictOf } from '../../../../test/harness/provider-contract.ts';
import {
  deliverForm,
  type Form,
  PUBLIC_URL,
  readFixture,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import { DELIVERIES, deliver } from '../../../../test/harness/vendors/plivo.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { plivo } from './index.ts';
import { sign, signedText } from './verify.ts';

type Vector = { authToken: string; url: string; params?: Form; headers: Form };
type Pair = [string, string];

const TOKEN = 'an-auth-token';
const NONCE = '05429567804466091622';

const verify = (delivery: Delivery, secrets: readonly string[] = [TOKEN], publicUrl = PUBLIC_URL): string =>
  verdictOf(plivo, delivery, { secrets, now: 0, publicUrl });
const signatureOf = (delivery: Delivery, { token = TOKEN, publicUrl = PUBLIC_URL } = {}): string =>
  sign(token, signedText(delivery, { publicUrl }), NONCE);
const signed = (delivery: Delivery, header = 'x-plivo-signature-v3'): Delivery =>
  withHeaders(delivery, { [header]: signatureOf(delivery), 'x-plivo-signature-v3-nonce': NONCE });

const [v3, v2] = readFixture<[Vector, Vector]>('plivo', 'signatures');
const recorded = ({ url, params = {}, headers }: Vector): Delivery => ({
  ...withHeaders(deliverForm(params), headers),
  target: url.slice(PUBLIC_URL.length),
});

describe('a recorded signature', () => {
  test('is the same that we make for the same request', () => {
    const text = signedText(recorded(v3), { publicUrl: PUBLIC_URL });
    const { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce = '' } = v3.headers;
    assert.equal(sign(v3.authToken, text, nonce), signature);
  });

  test('of version 2 counts as none: it covers neither body nor query', () => {
    assert.equal(verify(recorded(v2), [v2.authToken]), 'missing');
    assert.equal(verify(withHeaders(deliver('answer'), v2.headers), [v2.authToken]), 'missing');
  });
});

describe('a delivery', () => {
  test('is verified with a port in the URL', () => {
    const port = 'https://hooks.example.test:8443';
    const delivery = deliver('answer');
    const signature = { 'x-plivo-signature-v3': signatureOf(delivery, { publicUrl: port }) };
    assert.equal(verify(withHeaders(signed(delivery), signature), [TOKEN], port), 's1');
    assert.equal(verify(withHeaders(signed(delivery), signature)), 'bad_signature');
  });

  test('is verified by either header, and by any signature in a list', () => {
    assert.equal(verify(signed(deliver('answer'), 'x-plivo-signature-ma-v3')), 's1');
    const delivery = signed(deliver('answer'));
    const own = String(delivery.headers['x-plivo-signature-v3']);
    const other = signatureOf(deliver('answer'), { token: 'rotated' });
    assert.equal(verify(withHeaders(delivery, { 'x-plivo-signature-v3': `${other},${own}` })), 's1');
    assert.equal(verify(withHeaders(delivery, { 'x-plivo-signature-v3': `${other}, ${own}` })), 's1');
    assert.equal(verify(withHeaders(delivery, { 'x-plivo-signature-v3': `${other},${other}` })), 'bad_signature');
    assert.equal(
      verify(withHeaders(delivery, { 'x-plivo-signature-v3': other, 'x-plivo-signature-ma-v3': own })),
      's1',
    );
  });

  test('is refused if the signature or the nonce has the wrong format', () => {
    const refusal = (headers: Form) => verify(withHeaders(signed(deliver('answer')), headers));
    assert.equal(refusal({ 'x-plivo-signature-v3': ' , ,' }), 'missing');
    assert.equal(refusal({ 'x-plivo-signature-v3-nonce': `${NONCE}.1` }), 'malformed');
    assert.equal(refusal({ 'x-plivo-signature-v3-nonce': `${NONCE}, ${NONCE}` }), 'malformed');
    assert.equal(refusal({ 'x-plivo-signature-v3': 'not base64' }), 'bad_signature');
    assert.equal(refusal({ 'x-plivo-signature-v3': 'x,'.repeat(5_000) }), 'bad_signature');
  });

  test('is refused at another route and another step', () => {
    const delivery = signed(deliver('answer'));
    assert.equal(verify({ ...delivery, target: delivery.target.replace('voice', 'recording') }), 'bad_signature');
    assert.equal(verify({ ...delivery, target: `${delivery.target}&step=dialed` }), 'bad_signature');
  });
});

describe('what is signed but could be read in two ways', () => {
  /** Lists all other ways to split names from values, and to merge two neighboring pairs into one. */
  const recuts = (params: Form): Pair[][] => {
    const pairs = Object.entries(params).sort(([left], [right]) => (left < right ? -1 : 1));
    return pairs.flatMap(([name, value], index) => {
      const replace = (count: number, ...by: Pair[]) => [
        ...pairs.slice(0, index),
        ...by,
        ...pairs.slice(index + count),
      ];
      const text = `${name}${value}`;
      const [nextName = '', nextValue = ''] = pairs[index + 1] ?? [];
      const moved = Array.from(
        { length: text.length },
        (_, cut) => [text.slice(0, cut + 1), text.slice(cut + 1)] as Pair,
      );
      return [
        ...moved.filter(([other]) => other !== name).map((pair) => replace(1, pair)),
        ...(nextName === '' ? [] : [replace(2, [name, `${value}${nextName}${nextValue}`])]),
      ];
    });
  };

  for (const name of Object.keys(DELIVERIES))
    test(`is refused, or says the same: ${name}`, () => {
      const genuine = signed(deliver(name));
      const facts = plivo.factsOf(genuine, 0);
      for (const pairs of recuts(DELIVERIES[name]?.params ?? {})) {
        const bent = { ...genuine, body: Buffer.from(new URLSearchParams(pairs).toString()) };
        if (verify(bent) === 's1') assert.deepEqual(plivo.factsOf(bent, 0), facts, String(bent.body));
      }
    });

  test('is a POST whose body moved into the query of a GET', () => {
    const genuine = signed({ ...deliver('answer'), target: '/api/webhooks/telephony/voice?account=a1' });
    const text = signedText(genuine, { publicUrl: PUBLIC_URL });
    const swallowed = {
      ...genuine,
      method: 'GET' as const,
      target: text.slice(PUBLIC_URL.length).replaceAll('+', '%2B'),
      body: Buffer.alloc(0),
    };
    assert.equal(signedText(swallowed, { publicUrl: PUBLIC_URL }), text);
    assert.equal(verify(swallowed), 'malformed');
  });

  test('is a nonce that swallowed the end of the last value', () => {
    const genuine = signed(deliver('hangup'));
    const bent = withHeaders(
      { ...genuine, body: Buffer.from(String(genuine.body).replace('TotalCost=0.01100', 'TotalCost=0')) },
      { 'x-plivo-signature-v3-nonce': `01100.${NONCE}` },
    );
    assert.equal(verify(bent), 'malformed');
  });

  test('is JSON with the signature of an empty form', () => {
    const empty = { ...deliver('answer'), headers: { 'content-type': 'application/json' }, body: Buffer.alloc(0) };
    const body = Buffer.from(JSON.stringify(DELIVERIES['answer']?.params));
    assert.equal(verify({ ...signed(empty), body }), 'malformed');
  });
});
