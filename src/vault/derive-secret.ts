import type { Secret } from '../platform/index.ts';
import { deriveKey } from './derive-key.ts';
import { parseKeyRing } from './key-ring.ts';

/**
 * Derives a secret that is the same for every process with this ring. Uses the oldest key, so that adding a key doesn't
 * change the secret.
 */
export const deriveSecret = (keys: Secret, name: string): string => {
  const ring = parseKeyRing(keys);
  const { key } = ring.find(ring.ids.at(-1) ?? '') ?? ring.first;
  return deriveKey(key, `patchbay setting ${name}`).export().toString('base64url');
};
