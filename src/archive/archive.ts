import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Applied, Engine, ScannedRow } from '../platform/index.ts';

/** Increased when a version that can't read the new form must refuse it. From 2 on, the last line authenticates all others. */
export const FORMAT = 2;

/** The first line. */
export type Header = {
  patchbay: 'backup';
  format: number;
  engine: Engine;
  /** The key of the ring that authenticates the file. Null for one from before that. */
  key: string | null;
  /** When the snapshot was taken. */
  takenAt: string;
  migrations: Applied[];
  tables: string[];
  /** About how many rows there are. The last line knows. */
  about: number;
};

/** Before the rows of a table, which are arrays of values in this order. */
export type TableStart = { table: string; columns: string[] };

/** After them. */
export type TableEnd = { end: string; rows: number; digest: string };

/** The last line but one. `sha256` is that of all other lines that aren't rows, which have the checksums of the rows in them. */
export type Trailer = { complete: true; rows: number; sha256: string };

/** The last line: the authentication code of everything before it, in the order in which it is there. */
export type Code = { mac: string };

/** Nothing else is authenticated with the same key. */
export const CODE_PURPOSE = 'backup';

export type TableSummary = { name: string; rows: number; digest: string };

/** Spreads every bit of a 32-bit number over all of them (the end of MurmurHash3). */
const mix = (value: number): number => {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
};

/** Quicker than JSON, which looks at every character. Unlike a value, an absent one has a zero. */
const printValues = (row: ScannedRow): string => {
  let text = '';
  for (const value of row) {
    text += value === null ? '\0' : value;
    text += '\x1f';
  }
  return text;
};

/**
 * A checksum that doesn't depend on the order of rows, because the engines return them in different orders: the sum of the
 * rows' own. Those are a CRC and the length, mixed, so that what two rows have exchanged doesn't cancel out.
 */
export const createTableDigest = () => {
  const sums = new Uint32Array(2);
  let rows = 0;
  return {
    add(row: ScannedRow): void {
      const text = printValues(row);
      const crc = crc32(text);
      sums[0] = (sums[0] ?? 0) + mix(crc);
      sums[1] = (sums[1] ?? 0) + mix(crc ^ mix(text.length));
      rows++;
    },
    summarize: (name: string): TableSummary => ({
      name,
      rows,
      digest: [...sums].map((sum) => sum.toString(16).padStart(8, '0')).join(''),
    }),
  };
};

export const toLine = (content: Header | TableStart | TableEnd | Trailer | Code | ScannedRow): string =>
  JSON.stringify(content);

/** The checksum of the lines that aren't rows. */
export const createFileDigest = () => {
  const digest = createHash('sha256');
  return {
    add(line: string): string {
      const text = `${line}\n`;
      digest.update(text);
      return text;
    },
    end: (): string => digest.digest('hex'),
  };
};

/** The file can't be used, and why. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}
