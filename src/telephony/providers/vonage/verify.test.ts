import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { tokenGenerate, verifySignature } from '@vonage/jwt';
import fc from 'fast-check';
import { verdictOf } from '../../../../test/harness/provider-contract.ts';
import { type Payload, withHeaders } from '../../../../test/harness/vendors/deliver.ts';
import { claimsOf, get, NOW, payload, post, SECRET, sha256, sign } from '../../../../test/harness/vendors/vonage.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { vonage } from './index.ts';

const verdictOn = (delivery: Delivery, { secrets = [SECRET], now = NOW } = {}): string =>
  verdictOf(vonage, delivery, { secrets, now });

const withToken = (delivery: Delivery, authorization: string | undefined): Delivery =>
  withHeaders(delivery, { authorization });

const ended = post(payload('callerCompleted'), { step: 'status' });
const body = ended.body.toString();
const tokenOf = ({ headers }: Delivery): string => String(headers.authorization).replace('Bearer ', '');

describe('a signed delivery', () => {
  test('is verified with the scheme in lower case', () => {
    assert.equal(verdictOn(withToken(ended, `bearer ${tokenOf(ended)}`)), 's1');
  });

  test("is accepted by the vendor's own library, too", () => {
    assert.equal(verifySignature(tokenOf(ended), SECRET), true);
    assert.equal(verifySignature(tokenOf(ended), 'another'), false);
  });

  test('is verified whatever it says', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(text, fc.jsonValue(), (name, value) => {
        const told = JSON.stringify({ ...payload('answer'), 'SipHeader_X-Name': name, more: [value] });
        assert.equal(verdictOn(post(told)), 's1');
      }),
      { numRuns: 200 },
    );
  });

  test('is refused if a single byte changes', () => {
    const bytes = fc.integer({ min: 0, max: ended.body.length - 1 });
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 255 }), (index, change) => {
        const bent = Buffer.from(ended.body);
        bent[index] = (bent[index] ?? 0) ^ change;
        assert.equal(verdictOn({ ...ended, body: bent }), 'bad_signature');
      }),
      { numRuns: 300 },
    );
  });

  test('is refused if a single character of its token changes', () => {
    const token = tokenOf(ended);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ';
    const character = fc.constantFrom(...alphabet);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: token.length - 1 }), character, (index, other) => {
        fc.pre(token[index] !== other);
        const bent = token.slice(0, index) + other + token.slice(index + 1);
        assert.notEqual(verdictOn(withToken(ended, `Bearer ${bent}`)), 's1');
      }),
      { numRuns: 1_000 },
    );
  });

  test('is missing a token if it has none', () => {
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', tokenOf(ended)])
      assert.equal(verdictOn(withToken(ended, authorization)), 'missing', authorization);
  });

  test('is refused if no secret is set, or an empty one', () => {
    const unset = withToken(ended, `Bearer ${sign(claimsOf(body), { secret: '' })}`);
    assert.equal(verdictOn(ended, { secrets: [] }), 'bad_signature');
    assert.equal(verdictOn(unset, { secrets: [''] }), 'bad_signature');
    assert.equal(
      verdictOn(withToken(ended, `Bearer ${sign(claimsOf(body), { secret: 'undefined' })}`)),
      'bad_signature',
    );
  });
});

describe('a token', () => {
  const headed = (header: Payload) => verdictOn(withToken(ended, `Bearer ${sign(claimsOf(body), { header })}`));

  test('with another algorithm is refused, however it is signed', () => {
    for (const alg of ['none', 'None', 'hs256', 'HS384', 'HS512', 'RS256', '', null, ['HS256'], undefined])
      assert.equal(headed({ typ: 'JWT', alg }), 'malformed', String(alg));
    const unsigned = sign(claimsOf(body), { header: { alg: 'none' } }).replace(/[^.]+$/, '');
    assert.equal(verdictOn(withToken(ended, `Bearer ${unsigned}`)), 'malformed');
  });

  test("signed with an application's key is refused, and a public key is no secret", () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const token = tokenGenerate('aaaaaaaa-bbbb-cccc-dddd-0123456789ab', privateKey);
    assert.equal(verifySignature(token, publicKey), true);
    assert.equal(verdictOn(withToken(ended, `Bearer ${token}`), { secrets: [publicKey] }), 'malformed');
  });

  test('that demands an extension is refused', () => {
    assert.equal(headed({ alg: 'HS256', crit: ['b64'], b64: false }), 'malformed');
    assert.equal(headed({ alg: 'HS256', crit: [] }), 'malformed');
    assert.equal(headed({ alg: 'HS256', kid: 'k1' }), 's1');
  });

  test('has only one valid encoding', () => {
    const [head = '', claims = '', signature = ''] = tokenOf(ended).split('.');
    const padded = `${head}.${claims}.${signature}=`;
    const more = `${head}.${claims}.${signature}.${signature}`;
    const nextToLast = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1);
    for (const token of [padded, more, `${head}.${claims}`, `${head}.${claims}.`, `${head}=.${claims}.${signature}`])
      assert.equal(verdictOn(withToken(ended, `Bearer ${token}`)), 'malformed', token);
    assert.equal(verdictOn(withToken(ended, `Bearer ${head}.${claims}.${nextToLast}`)), 'bad_signature');
    assert.equal(verdictOn(withToken(ended, `Bearer ${'a'.repeat(5_000)}.b.c`)), 'malformed');
  });

  test('with unused bits is refused, although it is signed', () => {
    const [head = '', claims = ''] = sign(claimsOf(body), { header: { alg: 'HS256', kid: 'k1' } }).split('.');
    const loose = head.slice(0, -1) + String.fromCharCode(head.charCodeAt(head.length - 1) + 1);
    assert.deepEqual(Buffer.from(loose, 'base64url'), Buffer.from(head, 'base64url'));
    const signed = `${loose}.${claims}`;
    const signature = createHmac('sha256', SECRET).update(signed).digest('base64url');
    assert.equal(verdictOn(withToken(ended, `Bearer ${signed}.${signature}`)), 'malformed');
  });

  test('expires, and is not from the future', () => {
    for (const [seconds, verdict] of [
      [-301, 'stale'],
      [-300, 's1'],
      [300, 's1'],
      [301, 'stale'],
    ] as const)
      assert.equal(verdictOn(ended, { now: NOW + seconds * 1_000 }), verdict, String(seconds));
    assert.equal(verdictOn(post(body, { claims: { exp: NOW / 1_000 - 1 } })), 'stale');
    assert.equal(verdictOn(post(body, { claims: { exp: 'never' } })), 'stale');
    assert.equal(verdictOn(post(body, { claims: { exp: NOW / 1_000 + 60 } })), 's1');
  });

  test('has an id, a time, and the right issuer', () => {
    for (const claims of [
      { jti: undefined },
      { jti: '' },
      { jti: 7 },
      { iat: undefined },
      { iat: 'now' },
      { iss: 'Other' },
    ])
      assert.equal(verdictOn(post(body, { claims })), 'malformed', JSON.stringify(claims));
  });

  test('has the digest of its body', () => {
    for (const payload_hash of [undefined, null, '', 0, sha256(''), sha256(`${body} `), sha256(body).toUpperCase()])
      assert.equal(verdictOn(post(body, { claims: { payload_hash } })), 'bad_signature', String(payload_hash));
  });
});

describe('a GET', () => {
  const answer = payload('answer');
  const asJson = JSON.stringify(answer);

  test('whose params are in the digest is verified, with or without ours', () => {
    assert.equal(verdictOn(get(answer, {}, asJson)), 's1');
    assert.equal(verdictOn(get(answer, {}, JSON.stringify({ account: 'a1', ...answer }))), 's1');
    const bent = get({ ...answer, from: '15551230009' }, {}, asJson);
    assert.equal(verdictOn(bent), 'bad_signature');
  });

  test('whose content is not signed may ask for a reply', () => {
    assert.equal(verdictOn(get(answer)), 's1');
    assert.equal(verdictOn(get(answer, {}, '')), 's1');
    assert.equal(verdictOn(get(payload('legOnAnswer'), { step: 'screen' })), 's1');
  });

  test('whose content is not signed reports nothing', () => {
    for (const name of ['callerCompleted', 'legAnswered', 'record', 'legPressed', 'error', 'transfer', 'notify'])
      assert.equal(verdictOn(get(payload(name))), 'malformed', name);
    for (const step of ['dialed', 'screened', 'voicemail', 'status'])
      assert.equal(verdictOn(get(answer, { step })), 'malformed', step);
    assert.equal(verdictOn({ ...get(answer), route: 'recording' }), 'malformed');
    const told = payload('callerCompleted');
    const params = Object.fromEntries(Object.entries(told).map(([name, value]) => [name, String(value)]));
    assert.equal(verdictOn(get(told, {}, JSON.stringify(params))), 's1');
  });

  test('cannot use the token of a POST, nor the reverse', () => {
    const stolen = post(answer);
    assert.equal(
      verdictOn(withToken(get(answer), `Bearer ${tokenOf(post({ ...answer, to: '15551230009' }))}`)),
      'bad_signature',
    );
    assert.equal(verdictOn(withToken(stolen, `Bearer ${tokenOf(get(answer))}`)), 'bad_signature');
  });

  test('with a repeated param, or with a body, is refused', () => {
    const delivery = get(answer);
    assert.equal(verdictOn({ ...delivery, target: `${delivery.target}&to=15551230009` }), 'malformed');
    assert.equal(verdictOn({ ...delivery, body: Buffer.from('{}') }), 'malformed');
  });
});
