import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;

/** A key for one purpose, drawn from another. What it seals does not open with a key for another purpose. */
export const deriveKey = (key: KeyObject, purpose: string, salt: Buffer | string = ''): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, purpose, KEY_BYTES)));
