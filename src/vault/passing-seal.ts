import type { KeyObject } from 'node:crypto';
import { oncePer } from '../platform/index.ts';
import { deriveKey } from './derive-key.ts';
import { keyIdOf, openEnvelope, SealBroken, sealEnvelope } from './envelope.ts';
import type { RingKey, RingSource } from './key-ring.ts';

/**
 * Seals short-lived values that aren't in the database, such as those that come back through a browser. Each purpose
 * has its own key, derived from the ring, so a value sealed for one purpose doesn't open for another.
 */
export const createPassingSeal = (rings: RingSource) => {
  const drawnFrom = oncePer((_ringKey: RingKey) => new Map<string, KeyObject>());

  const draw = (ringKey: RingKey, purpose: string): KeyObject => {
    const drawn = drawnFrom(ringKey);
    const key = drawn.get(purpose) ?? deriveKey(ringKey.key, `passing ${purpose}`);
    drawn.set(purpose, key);
    return key;
  };

  return {
    /** `openPassing` needs the same `binding`. */
    sealPassing(purpose: string, binding: readonly string[], content: Buffer): string {
      const { first } = rings.current();
      return sealEnvelope(first.id, draw(first, purpose), binding, content);
    },
    openPassing(purpose: string, binding: readonly string[], sealed: string): Buffer {
      const id = keyIdOf(sealed);
      const ringKey = rings.current().find(id) ?? rings.reload().find(id);
      if (!ringKey) throw new SealBroken('It was sealed with a key that is not in the ring.');
      return openEnvelope(draw(ringKey, purpose), binding, sealed);
    },
  };
};
