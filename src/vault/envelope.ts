import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { takeRandomBytes } from '../platform/index.ts';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;

/** The words that a ciphertext is bound to. It opens only with exactly these words. */
export type Binding = readonly string[];

/**
 * A sealed value doesn't open: the key or the binding is wrong, or the value was changed. The message doesn't say
 * which.
 */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** Writes each word after its length, so that no two lists of words produce the same bytes. */
export const encodeBinding = (keyId: string, binding: Binding): Buffer => {
  const words = [VERSION, keyId, ...binding];
  // Allocate three bytes for each character, the most that UTF-8 needs. Unused bytes are cut off at the end.
  const bytes = Buffer.allocUnsafe(words.reduce((sum, word) => sum + LENGTH_BYTES + word.length * 3, 0));
  let end = 0;
  for (const word of words) {
    const length = bytes.write(word, end + LENGTH_BYTES, 'utf8');
    bytes.writeUInt32BE(length, end);
    end += LENGTH_BYTES + length;
  }
  return bytes.subarray(0, end);
};

/** Seals content as `v1.<key id>.<nonce>.<ciphertext and tag>`. The key ID is part of the binding. */
export const sealEnvelope = (keyId: string, key: KeyObject, binding: Binding, content: Buffer): string => {
  const nonce = takeRandomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(encodeBinding(keyId, binding));
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${keyId}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
};

/** Returns the ID of the key that sealed a value. */
export const keyIdOf = (sealed: string): string => {
  const [version, keyId, , , extra] = sealed.split('.');
  if (version !== VERSION || !keyId || extra !== undefined) throw new SealBroken('This is not a sealed value.');
  return keyId;
};

export const openEnvelope = (key: KeyObject, binding: Binding, envelope: string): Buffer => {
  const [, keyId = '', nonce = '', body = ''] = envelope.split('.');
  const sealed = Buffer.from(body, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(encodeBinding(keyId, binding));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealBroken('A sealed value could not be decrypted.');
  }
};
