import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * Derives a key for one purpose from another key. A value sealed with it doesn't open with a key for another purpose.
 */
export const deriveKey = (key: KeyObject, purpose: string, salt: Buffer | string = ''): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, purpose, KEY_BYTES)));
