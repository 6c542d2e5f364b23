import { createPrivateKey, type KeyObject } from 'node:crypto';
import { ASSERTION_ALGORITHMS, type AssertionAlgorithm, type ClientKey } from '../catalogue/client.ts';

/** A private key that can't be used. The message says what to do, and contains no part of the key. */
export class KeyUnusable extends Error {
  override readonly name = 'KeyUnusable';
}

const LEAST_RSA_BITS = 2_048;
/** Signing time grows with the cube of the key's length, and signing blocks the whole process. */
const MOST_RSA_BITS = 4_096;
const MAKE_ONE = 'Make one with "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem".';

/** Restores line breaks, which are often escaped where a setting has to be on one line. */
const withLineBreaks = (text: string): string => text.trim().replaceAll('\\n', '\n').replaceAll('\r', '');

/** Recognizes a text that isn't a private key, such as a certificate, and says what to do. */
const findMistake = (text: string): string | null => {
  if (text.includes('-----BEGIN ENCRYPTED') || text.includes('Proc-Type: 4,ENCRYPTED'))
    return 'is protected by a password. Remove it with "openssl pkey -in key.pem -out plain.pem", and use that file\'s content';
  if (/-----BEGIN (?:RSA )?PUBLIC KEY|-----BEGIN CERTIFICATE/.test(text))
    return 'is a public key or a certificate. Register that at the provider, and use the private key that belongs to it here';
  if (text.includes('-----BEGIN OPENSSH'))
    return 'is a key for SSH. Convert a copy with "ssh-keygen -p -m PEM -f key.pem", and use that';
  if (/^[\w.~/\\:-]+\.(?:pem|key|json|jwk)$/.test(text)) return 'is the name of a file. Use the content of that file';
  return null;
};

const readJwk = (text: string): { key: KeyObject; keyId: string | null; algorithm: string | null } => {
  const jwk = JSON.parse(text);
  const take = (name: string): string | null => (typeof jwk[name] === 'string' && jwk[name] !== '' ? jwk[name] : null);
  return { key: createPrivateKey({ key: jwk, format: 'jwk' }), keyId: take('kid'), algorithm: take('alg') };
};

const read = (text: string) => {
  try {
    return text.startsWith('{') ? readJwk(text) : { key: createPrivateKey(text), keyId: null, algorithm: null };
  } catch {
    throw new KeyUnusable(
      `${findMistake(text) ?? 'is not a readable private key. It must be a PEM that begins with "-----BEGIN PRIVATE KEY-----", or a JWK with its private part'}.`,
    );
  }
};

/** Returns where the content of a DER element begins and ends. The element's tag is at `at`. */
const boundsOf = (der: Buffer, at: number): { from: number; to: number } => {
  const first = der.readUInt8(at + 1);
  const bytes = first < 0x80 ? 0 : first - 0x80;
  const from = at + 2 + bytes;
  return { from, to: from + (bytes === 0 ? first : der.readUIntBE(at + 2, bytes)) };
};

/** The sizes of an RSA key's parts in bytes: the version, n, e, d, p, q, dp, dq and qi (RFC 8017, appendix A.1.2). */
const partSizesOf = (der: Buffer): number[] => {
  const sizes: number[] = [];
  let { from: at } = boundsOf(der, 0);
  while (at < der.length) {
    const { from, to } = boundsOf(der, at);
    sizes.push(to - from);
    at = to;
  }
  return sizes;
};

const MOST_EXPONENT_BYTES = 8;

/**
 * Whether the parts of an RSA key have the usual sizes for its modulus. With larger parts, one signature can take a
 * hundred times as long. A part may have an extra byte for its sign.
 */
const hasUsualParts = (key: KeyObject): boolean => {
  const [, n = 0, e = 0, d = 0, ...primes] = partSizesOf(key.export({ type: 'pkcs1', format: 'der' }));
  const isUsual = (size: number): boolean => size <= Math.ceil(n / 2) + 1;
  return e <= MOST_EXPONENT_BYTES && d <= n && primes.length === 5 && primes.every(isUsual);
};

/** The algorithms that a key can sign with. Some providers accept only one of the two for RSA. */
const algorithmsOf = (key: KeyObject): AssertionAlgorithm[] => {
  const { asymmetricKeyType, asymmetricKeyDetails = {} } = key;
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'rsa') {
    if (modulusLength < LEAST_RSA_BITS || modulusLength > MOST_RSA_BITS)
      throw new KeyUnusable(
        `is an RSA key of ${modulusLength} bits, and it must have ${LEAST_RSA_BITS} to ${MOST_RSA_BITS}.`,
      );
    if (!hasUsualParts(key)) throw new KeyUnusable(`is not a usual RSA key. ${MAKE_ONE}`);
    return ['RS256', 'PS256'];
  }
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return ['ES256'];
  if (asymmetricKeyType === 'ed25519') return ['EdDSA'];
  throw new KeyUnusable(`must be an RSA, P-256 or Ed25519 key. ${MAKE_ONE}`);
};

/**
 * Reads a private key, as PEM or JWK, for a client that authenticates with it. `accepted` lists the algorithms that the
 * provider accepts, if its entry says so. Throws KeyUnusable.
 */
export const readClientKey = (
  text: string,
  { keyId = null, accepted }: { keyId?: string | null; accepted?: readonly AssertionAlgorithm[] | undefined } = {},
): ClientKey => {
  const found = read(withLineBreaks(text));
  const possible = algorithmsOf(found.key);
  const named = ASSERTION_ALGORITHMS.find((algorithm) => algorithm === found.algorithm);
  const algorithms = named && possible.includes(named) ? [named] : possible;
  if (accepted && !algorithms.some((algorithm) => accepted.includes(algorithm)))
    throw new KeyUnusable(`signs with ${algorithms.join(' or ')}, but this provider accepts ${accepted.join(', ')}.`);
  return { key: found.key, keyId: keyId ?? found.keyId, algorithms };
};
