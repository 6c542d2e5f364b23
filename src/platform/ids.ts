import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Makes a row's id: UUIDv7 text, so that ids made later sort later. */
export type NewId = () => string;

const ID_BYTES = 16;
/** Random bytes are fetched for many ids at once: one fetch costs as much as an insert. */
const POOL_BYTES = ID_BYTES * 256;

export const createNewId = (clock: Clock): NewId => {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return () => {
    if (used === POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const start = used;
    used += ID_BYTES;
    pool.writeUIntBE(clock.now(), start, 6);
    pool[start + 6] = 0x70 | ((pool[start + 6] ?? 0) & 0x0f);
    pool[start + 8] = 0x80 | ((pool[start + 8] ?? 0) & 0x3f);
    const hex = pool.toString('hex', start, used);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
};
