import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sdk from 'plivo';
import type { Delivery } from '../../contract/delivery.ts';
import { DELIVERIES, deliver } from './fixtures/deliveries.ts';
import { plivo } from './index.ts';
import { sign, signedText } from './verify.ts';

type Vector = {
  name: string;
  authToken: string;
  method?: 'GET' | 'POST';
  url: string;
  params?: Record<string, string>;
  headers: Record<string, string>;
};

type Pair = [string, string];

const vectors: Vector[] = JSON.parse(readFileSync(new URL('./fixtures/signatures.json', import.meta.url), 'utf8'));

const PUBLIC = 'https://hooks.example.test';
const TOKEN = 'an-auth-token';
const NONCE = '05429567804466091622';
const FORM = 'application/x-www-form-urlencoded';

const verify = (delivery: Delivery, tokens: readonly string[] = [TOKEN], publicUrl = PUBLIC): string => {
  const verdict = plivo.verify(
    delivery,
    tokens.map((value, index) => ({ id: `s${index + 1}`, value })),
    { publicUrl, now: 0 },
  );
  return verdict.ok ? verdict.secretId : verdict.reason;
};

const signatureOf = (delivery: Delivery, { token = TOKEN, nonce = NONCE, publicUrl = PUBLIC } = {}): string =>
  sign(token, signedText(delivery, { publicUrl }), nonce);

const withHeaders = (delivery: Delivery, headers: Record<string, string>): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});

const signed = (delivery: Delivery, { header = 'x-plivo-signature-v3', token = TOKEN, nonce = NONCE } = {}): Delivery =>
  withHeaders(delivery, {
    [header]: signatureOf(delivery, { token, nonce }),
    'x-plivo-signature-v3-nonce': nonce,
  });

/** The vendor's own library, asked about a delivery that we have signed. */
const isBelievedByVendor = (delivery: Delivery): boolean => {
  const params: Record<string, string> = Object.fromEntries(new URLSearchParams(delivery.body.toString()));
  return Boolean(
    sdk.validateV3Signature(
      delivery.method,
      `${PUBLIC}${delivery.target}`,
      String(delivery.headers['x-plivo-signature-v3-nonce']),
      TOKEN,
      String(delivery.headers['x-plivo-signature-v3']),
      delivery.method === 'POST' ? params : {},
    ),
  );
};

const asGet = (delivery: Delivery): Delivery => ({
  ...delivery,
  method: 'GET',
  target: `${delivery.target}&${delivery.body}`,
  headers: {},
  body: Buffer.alloc(0),
});

const fromVector = ({ method = 'POST', url, params = {}, headers }: Vector): Delivery => ({
  route: 'voice',
  method,
  target: url.slice(PUBLIC.length),
  headers: { 'content-type': FORM, ...headers },
  body: Buffer.from(new URLSearchParams(params).toString()),
});

describe('a recorded signature', () => {
  const [v3, v2] = vectors;
  assert.ok(v3 && v2);
  const delivery = fromVector(v3);
  const isRefused = (tampered: Partial<Delivery>, reason = 'bad_signature', tokens = [v3.authToken]) =>
    assert.equal(verify({ ...delivery, ...tampered }, tokens), reason);

  test('is signed well, and still not ours: its address holds a query that we never hand out', () => {
    isRefused({}, 'malformed');
    assert.equal(
      sign(v3.authToken, signedText(delivery, { publicUrl: PUBLIC }), v3.headers['x-plivo-signature-v3-nonce'] ?? ''),
      v3.headers['x-plivo-signature-v3'],
    );
  });

  test('fits no other body, query, path, method, nonce, or token', () => {
    isRefused({ body: Buffer.from(`${delivery.body} `) });
    isRefused({ body: Buffer.from(String(delivery.body).replace('completed', 'busy')) });
    isRefused({ body: Buffer.alloc(0) });
    isRefused({ target: `${delivery.target}&x=1` });
    isRefused({ target: delivery.target.replace('team=t1', 'team=t2') });
    isRefused({ target: delivery.target.replace('/voice', '/voice/') });
    isRefused({ method: 'GET' });
    isRefused({ headers: { ...delivery.headers, 'x-plivo-signature-v3-nonce': '12345678901234567891' } });
    isRefused({ headers: { ...delivery.headers, 'content-type': 'application/json' } });
    isRefused({}, 'bad_signature', ['plivo_test_tokem']);
    isRefused({}, 'bad_signature', []);
    isRefused({}, 'bad_signature', ['']);
  });

  test('of the second version counts as none: it covers neither body nor query', () => {
    assert.equal(verify(fromVector(v2), [v2.authToken]), 'missing');
    assert.equal(verify(withHeaders(deliver('answer'), v2.headers), [v2.authToken]), 'missing');
    assert.equal(plivo.recognizes(fromVector(v2)), true);
  });
});

describe('a delivery', () => {
  for (const name of Object.keys(DELIVERIES))
    test(`is verified, and would be by the vendor's own library: ${name}`, () => {
      for (const delivery of [signed(deliver(name)), signed(asGet(deliver(name)))]) {
        assert.equal(isBelievedByVendor(delivery), true, delivery.method);
        assert.equal(verify(delivery), 's1', delivery.method);
      }
    });

  test('is verified whatever its texts are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 20 }), (name, header) => {
        const delivery = signed(deliver('answer', { CallerName: name.toWellFormed(), 'X-PH-Note': header }));
        assert.equal(isBelievedByVendor(delivery), true);
        assert.equal(verify(delivery), 's1');
      }),
      { numRuns: 200 },
    );
  });

  test('is verified without a query of ours, and with a port', () => {
    const bare = signed({ ...deliver('answer'), target: '/api/webhooks/telephony/voice' });
    assert.equal(isBelievedByVendor(bare), true);
    assert.equal(verify(bare), 's1');
    const port = 'https://hooks.example.test:8443';
    const delivery = deliver('answer');
    const signature = { 'x-plivo-signature-v3': signatureOf(delivery, { publicUrl: port }) };
    assert.equal(verify(withHeaders(signed(delivery), signature), [TOKEN], port), 's1');
    assert.equal(verify(withHeaders(signed(delivery), signature)), 'bad_signature');
  });

  test('is verified with any of the tokens, by either header, and with any signature of a list', () => {
    assert.equal(verify(signed(deliver('answer')), ['older', TOKEN]), 's2');
    assert.equal(verify(signed(deliver('answer'), { header: 'x-plivo-signature-ma-v3' })), 's1');
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

  test('is refused where signature or nonce is missing, empty, or of another form', () => {
    const delivery = signed(deliver('answer'));
    const refusal = (headers: Record<string, string>) => verify(withHeaders(delivery, headers));
    assert.equal(verify(deliver('answer')), 'missing');
    assert.equal(refusal({ 'x-plivo-signature-v3': '' }), 'missing');
    assert.equal(refusal({ 'x-plivo-signature-v3': ' , ,' }), 'missing');
    assert.equal(refusal({ 'x-plivo-signature-v3-nonce': '' }), 'missing');
    assert.equal(refusal({ 'x-plivo-signature-v3-nonce': `${NONCE}.1` }), 'malformed');
    assert.equal(refusal({ 'x-plivo-signature-v3-nonce': `${NONCE}, ${NONCE}` }), 'malformed');
    assert.equal(refusal({ 'x-plivo-signature-v3': 'not base64' }), 'bad_signature');
    assert.equal(refusal({ 'x-plivo-signature-v3': 'x,'.repeat(5_000) }), 'bad_signature');
  });

  test('is refused at another scheme, host, or route, whatever the request says of itself', () => {
    const delivery = signed(deliver('answer'));
    const forwarded = { host: 'hooks.example.test', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'other.test' };
    assert.equal(verify(withHeaders(delivery, forwarded), [TOKEN], 'http://hooks.example.test'), 'bad_signature');
    assert.equal(verify(withHeaders(delivery, forwarded), [TOKEN], 'https://other.test'), 'bad_signature');
    assert.equal(verify({ ...delivery, target: delivery.target.replace('voice', 'recording') }), 'bad_signature');
    assert.equal(verify({ ...delivery, target: `${delivery.target}&step=dialed` }), 'bad_signature');
  });
});

describe('what is signed but could be read in two ways', () => {
  const bodyOf = (pairs: readonly Pair[]): Buffer => Buffer.from(new URLSearchParams(pairs).toString());
  const factsOf = (delivery: Delivery) => {
    const { call, events, recordings } = plivo.factsOf(delivery, 0);
    return { call, events, recordings };
  };

  /** Every other place for one cut between a name and a value, and every pair of neighbours drawn into one. */
  const recuts = (params: Record<string, string>): Pair[][] => {
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
      const facts = factsOf(genuine);
      for (const pairs of recuts(DELIVERIES[name]?.params ?? {})) {
        const bent = { ...genuine, body: bodyOf(pairs) };
        if (verify(bent) === 's1') assert.deepEqual(factsOf(bent), facts, String(bent.body));
      }
    });

  test('is a text of the caller that holds our words', () => {
    for (const text of ['xDialStatuscompleted', 'CallStatusbusy', 'a RecordingID b', 'Directionoutbound'])
      assert.equal(verify(signed(deliver('answer', { CallerName: text }))), 'malformed', text);
    for (const text of ['AT&T', 'Direction Ltd', 'The Event Company', 'To = From?', 'CALLSTATUS'])
      assert.equal(verify(signed(deliver('answer', { CallerName: text }))), 's1', text);
    assert.equal(verify(signed(asGet(deliver('answer', { CallerName: 'AT&T' })))), 'malformed');
  });

  test('is a name that comes twice, and a query of somebody else', () => {
    const delivery = deliver('answer');
    assert.equal(
      verify(signed({ ...delivery, body: Buffer.from(`${delivery.body}&CallStatus=completed`) })),
      'malformed',
    );
    assert.equal(verify(signed({ ...delivery, target: `${delivery.target}&step=a&step=b` })), 'malformed');
    assert.equal(verify(signed({ ...delivery, target: `${delivery.target}&CallStatus=completed` })), 'malformed');
    assert.equal(verify(signed({ ...delivery, target: `${delivery.target}&step=a.b` })), 'malformed');
  });

  test('is a POST whose body was taken into the query of a GET', () => {
    const genuine = signed({ ...deliver('answer'), target: '/api/webhooks/telephony/voice?account=a1' });
    const text = signedText(genuine, { publicUrl: PUBLIC });
    const swallowed = {
      ...genuine,
      method: 'GET' as const,
      target: text.slice(PUBLIC.length).replaceAll('+', '%2B'),
      body: Buffer.alloc(0),
    };
    assert.equal(signedText(swallowed, { publicUrl: PUBLIC }), text);
    assert.equal(verify(swallowed), 'malformed');
  });

  test('is a nonce that took the end of the last value', () => {
    const genuine = signed(deliver('hangup'));
    const bent = withHeaders(
      { ...genuine, body: Buffer.from(String(genuine.body).replace('TotalCost=0.01100', 'TotalCost=0')) },
      { 'x-plivo-signature-v3-nonce': `01100.${NONCE}` },
    );
    assert.equal(verify(bent), 'malformed');
  });

  test('is a body that the signature does not cover, or that names no call', () => {
    const empty = { ...deliver('answer'), body: Buffer.alloc(0) };
    const json = { ...empty.headers, 'content-type': 'application/json' };
    const body = Buffer.from(JSON.stringify(DELIVERIES['answer']?.params));
    assert.equal(verify(signed(empty)), 'malformed');
    assert.equal(verify({ ...signed({ ...empty, headers: json }), body }), 'malformed');
    assert.equal(verify(signed(deliver('answer', { CallUUID: null }))), 'malformed');
    assert.equal(verify(signed(deliver('answer', { CallUUID: '1' }))), 'malformed');
    assert.equal(verify(signed(deliver('answer', { CallStatus: 'Completed!' }))), 'malformed');
  });
});
