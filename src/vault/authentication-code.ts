import { createHmac } from 'node:crypto';
import { deriveKey } from './derive-key.ts';
import type { KeyRing } from './key-ring.ts';

/** The authentication code of a text that is added piece by piece. */
export type AuthenticationCode = { keyId: string; add(text: string): void; end(): string };

/**
 * Makes a code that shows that a whole text, such as a file, was written by someone with the ring, for one purpose, and
 * is unchanged. Uses the ring's first key, or `keyId` to check a code made with that key. Null if the ring doesn't have
 * the key.
 */
export const createAuthenticationCode = (
  ring: KeyRing,
  purpose: string,
  keyId: string = ring.first.id,
): AuthenticationCode | null => {
  const ringKey = ring.find(keyId);
  if (!ringKey) return null;
  const code = createHmac('sha256', deriveKey(ringKey.key, `authenticating ${purpose}`));
  return { keyId, add: (text) => void code.update(text), end: () => code.digest('hex') };
};
