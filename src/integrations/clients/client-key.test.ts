import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, test } from 'node:test';
import { KeyUnusable, readClientKey } from './client-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const edwards = generateKeyPairSync('ed25519');

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const jwkOf = (key: KeyObject, more: object = {}): string =>
  JSON.stringify({ ...key.export({ format: 'jwk' }), ...more });

const invert = (value: bigint, modulus: bigint): bigint => {
  let [older, newer] = [0n, 1n];
  for (let [high, low] = [modulus, value % modulus]; low !== 0n; [high, low] = [low, high % low])
    [older, newer] = [newer, older - (high / low) * newer];
  return ((older % modulus) + modulus) % modulus;
};

/** Makes an RSA key from known primes, as a JWK. Finding primes of this size would take seconds. */
const makeRsaKey = (p: bigint, q: bigint): string => {
  const e = 65_537n;
  const d = invert(e, (p - 1n) * (q - 1n));
  const parts = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p) };
  const encode = (part: bigint): string => {
    const digits = part.toString(16);
    return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url');
  };
  const encoded = Object.entries(parts).map(([name, part]) => [name, encode(part)]);
  return JSON.stringify({ kty: 'RSA', ...Object.fromEntries(encoded) });
};

const whyNot = (...args: Parameters<typeof readClientKey>): string => {
  try {
    readClientKey(...args);
  } catch (error) {
    assert.ok(error instanceof KeyUnusable, String(error));
    return error.message;
  }
  return assert.fail('It was accepted.');
};

describe("a client's private key", () => {
  test('is read as PEM, on one line or several, and as JWK', () => {
    for (const text of [pemOf(rsa.privateKey), pemOf(rsa.privateKey).trim().replaceAll('\n', '\\n')])
      assert.ok(readClientKey(text).key.equals(rsa.privateKey));
    const old = rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString().replaceAll('\n', '\r\n');
    assert.ok(readClientKey(old).key.equals(rsa.privateKey));
    const { key, keyId } = readClientKey(jwkOf(ec.privateKey, { kid: 'first' }));
    assert.ok(key.equals(ec.privateKey));
    assert.equal(keyId, 'first');
    assert.equal(readClientKey(jwkOf(ec.privateKey, { kid: 'first' }), { keyId: 'second' }).keyId, 'second');
    assert.equal(readClientKey(pemOf(ec.privateKey)).keyId, null);
  });

  test('decides how it is used, and an algorithm that a JWK names counts', () => {
    assert.deepEqual(readClientKey(pemOf(rsa.privateKey)).algorithms, ['RS256', 'PS256']);
    assert.deepEqual(readClientKey(jwkOf(rsa.privateKey, { alg: 'PS256' })).algorithms, ['PS256']);
    assert.deepEqual(readClientKey(pemOf(ec.privateKey)).algorithms, ['ES256']);
    assert.deepEqual(readClientKey(pemOf(edwards.privateKey)).algorithms, ['EdDSA']);
    assert.equal(
      whyNot(pemOf(edwards.privateKey), { accepted: ['RS256', 'ES256'] }),
      'signs with EdDSA, but this provider accepts RS256, ES256.',
    );
  });

  test('is refused if a signature would take long, in which nothing else happens', () => {
    const huge = (bytes: number): string => Buffer.alloc(bytes, 0xff).toString('base64url');
    const primes = { p: huge(500), q: huge(500), dp: huge(500), dq: huge(500) };
    assert.match(whyNot(jwkOf(rsa.privateKey, { e: huge(2_000) })), /^is not a usual RSA key\. Make one with/);
    // Newer releases of Node don't even read some of these.
    for (const part of [{ d: huge(4_000) }, { p: huge(500) }, { dq: huge(500) }, primes])
      assert.match(whyNot(jwkOf(rsa.privateKey, part)), /^is not a (?:usual RSA|readable private) key\./);
    assert.match(whyNot(jwkOf(rsa.privateKey, { n: huge(2_048) })), /^is (?:an RSA key of 16384 bits|not a readable)/);
    assert.match(whyNot(makeRsaKey(2n ** 2203n - 1n, 2n ** 2281n - 1n)), /^is an RSA key of 4484 bits, .* 4096/);
    const long = generateKeyPairSync('rsa', { modulusLength: 4_096 }).privateKey;
    assert.deepEqual(readClientKey(pemOf(long)).algorithms, ['RS256', 'PS256']);
  });

  test('is refused with what to do about it, and never shown', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
    const cipher = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
    const canary = 'MIIEcanary0123456789';
    const expected: [string, RegExp][] = [
      [rsa.privateKey.export(cipher).toString(), /^is protected by a password\. Remove it with "openssl pkey/],
      [rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString(), /^is a public key or a certificate\./],
      [jwkOf(ec.publicKey), /^is not a readable private key\..* a JWK with its private part\.$/],
      ['/run/secrets/client.pem', /^is the name of a file\. Use the content/],
      [`-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----`, /^is not a readable private key\./],
      [`{"kty":"RSA","d":"${canary}`, /^is not a readable private key\./],
      [canary, /^is not a readable private key\./],
      [pemOf(short), /^is an RSA key of 1024 bits, .* 2048/],
      [
        pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey),
        /^must be an RSA, P-256 or Ed25519 key/,
      ],
      [pemOf(generateKeyPairSync('x25519').privateKey), /^must be an RSA, P-256 or Ed25519 key\. Make one with/],
    ];
    for (const [text, pattern] of expected) {
      const why = whyNot(text);
      assert.match(why, pattern);
      assert.ok(!why.includes(canary));
    }
  });
});
