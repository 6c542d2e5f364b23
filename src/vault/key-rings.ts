import { changeKeptValues, readKeptValues, Secret } from '../platform/index.ts';
import { extendKeyRing, type KeyRing, parseKeyRing, type RingSource } from './key-ring.ts';

const NAME = 'PATCHBAY_KEYS';

/** `keptIn`: the data directory, where the ring is kept there; null: the operator has set it. */
export type KeyRingSettings = { keys: Secret; keptIn: string | null };

/** `extend` puts a new key in front of the ring, where it is kept here; null where the operator sets it. */
export type KeyRings = RingSource & { extend: (() => KeyRing) | null };

/**
 * The ring as the operator set it, or as it is kept in the data directory. A kept ring can get a new key from a command
 * while the service runs, which then reads the file again.
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
