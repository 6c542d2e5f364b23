import type { Config } from './config.ts';
import { changeKeptValues, readKeptValues, Secret } from './platform/index.ts';
import { extendKeyRing, type KeyRing, parseKeyRing, type RingSource } from './vault/index.ts';

const NAME = 'PATCHBAY_KEYS';

/**
 * The ring as the operator set it, or as it is kept in the data directory. A kept ring can get a new key from a command
 * while the service runs, which then reads the file again.
 */
export const createKeyRings = (config: Config): RingSource & { extend: (() => KeyRing) | null } => {
  if (!config.keys) throw new Error('The settings hold no keys.');
  let ring = parseKeyRing(config.keys);

  const take = (text: string | undefined): KeyRing => {
    if (text !== undefined) ring = parseKeyRing(new Secret(text));
    return ring;
  };

  return {
    current: () => ring,
    reload: () => (config.keysKept ? take(readKeptValues(config.data)[NAME]) : ring),
    extend: config.keysKept
      ? () => take(changeKeptValues(config.data, (kept) => ({ ...kept, [NAME]: extendKeyRing(kept[NAME]) }))[NAME])
      : null,
  };
};
