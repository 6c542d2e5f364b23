import { createHmac } from 'node:crypto';
import { deriveKey } from './derive-key.ts';
import type { KeyRing } from './key-ring.ts';

/** The authentication code of a text that is added piece by piece. */
export type AuthenticationCode = { keyId: string; add(text: string): void; end(): string };

/**
 * Makes a code over a whole text, such as a file. The code shows that the text is unchanged, and that it was written
 * for this purpose by someone who has the ring. To check a code, pass the `keyId` it was made with. Null if the ring
 * doesn't have that key.
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
