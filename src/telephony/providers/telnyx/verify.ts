import { createPublicKey, type KeyObject, verify as verifySignature } from 'node:crypto';
import { oncePer } from '../../../platform/index.ts';
import { type Delivery, hasOnlyOurParams, headerOf, isEachOnce } from '../../contract/delivery.ts';
import type { AccountSecret, TelephonyProvider } from '../../contract/provider.ts';
import { eventOf, formOf } from './payload.ts';

export const SIGNATURE = 'telnyx-signature-ed25519';
export const TIMESTAMP = 'telnyx-timestamp';

const TOLERANCE_SECONDS = 300;
/** The first bytes of an Ed25519 key in the format that Node reads. The 32 bytes of the key follow. */
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const CALL = /^[\w:.-]{8,200}$/;

type VerifyingKey = { key: KeyObject | null };

const verifyingKeyOf = oncePer(({ value }: AccountSecret): VerifyingKey => {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== 32) return { key: null };
  return { key: createPublicKey({ key: Buffer.concat([KEY_PREFIX, bytes]), format: 'der', type: 'spki' }) };
});

const isSignedBy = (secret: AccountSecret, text: Buffer, signature: Buffer): boolean => {
  try {
    const { key } = verifyingKeyOf(secret);
    return key !== null && verifySignature(null, text, key, signature);
  } catch {
    return false;
  }
};

/**
 * Whether a body can be read in only one way. The content type isn't signed, so a signed form must not pass as JSON, or
 * the other way around.
 */
const hasOneReading = (delivery: Delivery): boolean => {
  const form = formOf(delivery);
  return form ? isEachOnce([...form.keys()]) && CALL.test(form.get('CallSid') ?? '') : eventOf(delivery) !== null;
};

/**
 * Verifies the Ed25519 signature over the timestamp and the body. A GET is refused: its content is in the query, which
 * isn't covered, so any other query would verify, too (seen November 2026 in a review of the vendor's own examples,
 * team-telnyx/ai#323).
 */
export const verify: TelephonyProvider['verify'] = (delivery, secrets, { now }) => {
  const signature = headerOf(delivery, SIGNATURE);
  const timestamp = headerOf(delivery, TIMESTAMP);
  if (!signature || !timestamp) return { ok: false, reason: 'missing' };
  if (delivery.method !== 'POST' || !/^\d{1,12}$/.test(timestamp) || !/^[A-Za-z0-9+/]{86}==$/.test(signature))
    return { ok: false, reason: 'malformed' };
  const text = Buffer.concat([Buffer.from(`${timestamp}|`), delivery.body]);
  const secret = secrets.find((candidate) => isSignedBy(candidate, text, Buffer.from(signature, 'base64')));
  if (!secret) return { ok: false, reason: 'bad_signature' };
  if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) return { ok: false, reason: 'stale' };
  // The query of a POST isn't signed either, so it may have only our own parameters.
  if (!hasOnlyOurParams(delivery) || !hasOneReading(delivery)) return { ok: false, reason: 'malformed' };
  return { ok: true, secretId: secret.id };
};
