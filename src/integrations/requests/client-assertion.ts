import { constants, randomUUID, type SignKeyObjectInput, sign } from 'node:crypto';
import type { AssertionAlgorithm, Client } from '../catalogue/client.ts';
import { expandAddress, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';

/** Long enough for a slow request and a small difference between clocks. */
const LIFETIME_SECONDS = 60;

const HOW: Record<AssertionAlgorithm, { digest: string | null; options?: Omit<SignKeyObjectInput, 'key'> }> = {
  RS256: { digest: 'sha256' },
  PS256: {
    digest: 'sha256',
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  },
  ES256: { digest: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { digest: null },
};

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const audienceOf = ({ assertion, issuer, token }: FullRecord, values: Values): string =>
  assertion?.audience === 'issuer' && issuer !== undefined ? issuer : expandAddress(token.url, values).href;

/**
 * Signs an assertion, with which the client authenticates one request (RFC 7523). It names this provider, is valid for
 * a minute, and has a unique ID. Null for a client without a key.
 */
export const signAssertion = (record: FullRecord, { id, key }: Client, values: Values, now: number): string | null => {
  if (!key) return null;
  const accepted = record.assertion?.algorithms ?? key.algorithms;
  // If no algorithm matches, try the key's first one. An issuer's discovery document may leave out algorithms that it
  // accepts.
  const alg = accepted.find((algorithm) => key.algorithms.includes(algorithm)) ?? key.algorithms[0] ?? 'RS256';
  const iat = Math.floor(now / 1_000);
  const head = encode({ alg, typ: 'JWT', ...(key.keyId === null ? {} : { kid: key.keyId }) });
  const claims = { iss: id, sub: id, aud: audienceOf(record, values), iat, exp: iat + LIFETIME_SECONDS };
  const signed = `${head}.${encode({ ...claims, jti: randomUUID() })}`;
  const { digest, options } = HOW[alg];
  return `${signed}.${sign(digest, Buffer.from(signed), { key: key.key, ...options }).toString('base64url')}`;
};
