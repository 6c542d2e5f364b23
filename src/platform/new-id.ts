import type { Clock } from './clock.ts';
import { takeRandomBytes } from './take-random-bytes.ts';

/** Makes an ID for a row: UUIDv7 as text, so that newer IDs sort after older ones. */
export type NewId = () => string;

const toUuid = (at: number, bytes: Buffer): string => {
  bytes.writeUIntBE(at, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

export const createNewId =
  (clock: Clock): NewId =>
  () =>
    toUuid(clock.now(), takeRandomBytes(16));

/** When an ID was made. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const LAST_AT = 2 ** 48 - 1;

/** The lowest ID for a time. All earlier IDs sort before it, so rows can be found by time through their key. */
export const firstIdAt = (at: number): string => toUuid(Math.min(Math.max(0, at), LAST_AT), Buffer.alloc(16));
