import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Secret } from '../../../platform/index.ts';
import type { Signature } from '../../catalogue/webhook/signature.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const HEX_KEY = /^[0-9a-f]{64}$/i;
/** What precedes a raw Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

const toPublicKey = (text: string): KeyObject => {
  if (text.startsWith('-----BEGIN')) return createPublicKey(text);
  const der = HEX_KEY.test(text)
    ? Buffer.concat([ED25519_PREFIX, Buffer.from(text, 'hex')])
    : Buffer.from(text, 'base64');
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
};

const isOfKind = (
  { asymmetricKeyType, asymmetricKeyDetails }: KeyObject,
  algorithm: Signature['algorithm'],
): boolean =>
  algorithm === 'ed25519'
    ? asymmetricKeyType === 'ed25519'
    : asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';

/** Makes the key with which a provider's signatures are checked. Null if the secret isn't in the provider's format. */
export const toSigningKey = ({ algorithm, secret }: Signature, given: Secret): KeyObject | null => {
  const { form = 'text', prefix = '' } = secret ?? {};
  const text = given.reveal().trim();
  if (algorithm === 'ed25519' || algorithm === 'ecdsa-p256') {
    try {
      const key = toPublicKey(text);
      return isOfKind(key, algorithm) ? key : null;
    } catch {
      return null;
    }
  }
  if (text === '') return null;
  if (form === 'text') return createSecretKey(text, 'utf8');
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  return BASE64.test(encoded) ? createSecretKey(encoded, 'base64') : null;
};
