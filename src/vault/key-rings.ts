import { changeKeptValues, readKeptValues, Secret } from '../platform/index.ts';
import { extendKeyRing, type KeyRing, parseKeyRing, type RingSource } from './key-ring.ts';

const NAME = 'PATCHBAY_KEYS';

/** `keptIn` is the data directory if the ring is stored there, or null if the operator set the ring. */
export type KeyRingSettings = { keys: Secret; keptIn: string | null };

/** `extend` adds a new key at the front of the ring. Null if the operator set the ring. */
export type KeyRings = RingSource & { extend: (() => KeyRing) | null };

/**
 * Holds the ring that the operator set, or the ring in the data directory. A command can add a key to the ring in the
 * data directory while the service is running. `reload` reads that file again.
 */
export const createKeyRings = ({ keys, keptIn }: KeyRingSettings): KeyRings => {
  let ring = parseKeyRing(keys);

  const take = (text: string | undefined): KeyRing => {
    if (text !== undefined) ring = parseKeyRing(new Secret(text));
    return ring;
  };

  return {
    current: () => ring,
    reload: () => (keptIn === null ? ring : take(readKeptValues(keptIn)[NAME])),
    extend:
      keptIn === null
        ? null
        : () => take(changeKeptValues(keptIn, (kept) => ({ ...kept, [NAME]: extendKeyRing(kept[NAME]) }))[NAME]),
  };
};
