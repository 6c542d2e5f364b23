import { createHmac } from 'node:crypto';
import { deriveKey } from './derive-key.ts';
import type { KeyRing } from './key-ring.ts';

/** Of a text that is added piece by piece. */
export type AuthenticationCode = { keyId: string; add(text: string): void; end(): string };

/**
 * Shows that a whole text, such as a file, was written by someone with the ring, for one purpose, and is unchanged. Made
 * with the first key, or checked with the one that made it. Null if the ring doesn't have that.
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
