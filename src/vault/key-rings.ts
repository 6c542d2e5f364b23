import { changeKeptValues, readKeptValues, Secret } from '../platform/index.ts';
import { extendKeyRing, type KeyRing, parseKeyRing, type RingSource } from './key-ring.ts';

const NAME = 'PATCHBAY_KEYS';

/** `keptIn`: the data directory, if the ring is stored there. Null if the operator set it. */
export type KeyRingSettings = { keys: Secret; keptIn: string | null };

/** `extend` adds a new key at the front of the ring. Null if the operator sets the ring. */
export type KeyRings = RingSource & { extend: (() => KeyRing) | null };

/**
 * The ring as the operator set it, or as stored in the data directory. In that case a command can add a new key while the
 * service is running, which then reads the file again.
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
