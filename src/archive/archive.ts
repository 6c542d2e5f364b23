import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Applied, Engine, ScannedRow } from '../platform/index.ts';

/**
 * The version of the file format. It's increased if older versions of Patchbay can't read the file, so that they refuse
 * it. Since format 2, the last line authenticates all others.
 */
export const FORMAT = 2;

/** The first line of a backup. */
export type Header = {
  patchbay: 'backup';
  format: number;
  engine: Engine;
  /** The ID of the key that authenticates the file. Null in format 1, which isn't authenticated. */
  key: string | null;
  /** When the snapshot was taken. */
  takenAt: string;
  migrations: Applied[];
  tables: string[];
  /** About how many rows there are. The trailer has the exact number. */
  about: number;
};

/** The line before the rows of a table. A row is an array of values in the order of `columns`. */
export type TableStart = { table: string; columns: string[] };

/** The line after the rows of a table. */
export type TableEnd = { end: string; rows: number; digest: string };

/**
 * The second-to-last line. `sha256` is the checksum of the lines before it that aren't rows. Each `TableEnd` among them
 * has a checksum of the table's rows.
 */
export type Trailer = { complete: true; rows: number; sha256: string };

/** The last line: the authentication code of everything before it. */
export type Code = { mac: string };

/** The purpose of the authentication code, so that its key authenticates nothing but backups. */
export const CODE_PURPOSE = 'backup';

export type TableSummary = { name: string; rows: number; digest: string };

/** Spreads every bit of a 32-bit number over all 32 bits (the last step of MurmurHash3). */
const mix = (value: number): number => {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
};

/**
 * Prints a row for its checksum. Quicker than JSON, which has to check every character. Null is printed as a NUL
 * character.
 */
const printValues = (row: ScannedRow): string => {
  let text = '';
  for (const value of row) {
    text += value === null ? '\0' : value;
    text += '\x1f';
  }
  return text;
};

/**
 * Makes the checksum of a table: the sum of its rows' checksums. The sum doesn't depend on the order of rows, which
 * differs between engines. A row's checksum mixes its CRC and its length, so that values swapped between two rows
 * change the sum.
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

/** Makes the checksum of the lines that aren't rows. */
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

/** A backup can't be used. The message says why. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}
