import { gzipSync } from 'node:zlib';

const BLOCK_BYTES = 512;
const MODE = 0o644;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

const padToBlock = (bytes: number): Buffer => Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES);

/** Makes a header in POSIX's ustar format. The checksum is calculated as if its own field were eight spaces. */
const makeHeader = (path: string, bytes: number): Buffer => {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`${path} is too long for a tarball.`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(path, 0);
  header.write(octal(MODE, 8) + octal(0, 8) + octal(0, 8) + octal(bytes, 12) + octal(0, 12), 100, 'latin1');
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148, 'latin1');
  return header;
};

/** Packs files into a tarball without times and owners, so that the same files always give the same bytes. */
export const packTarball = (files: ReadonlyMap<string, Buffer>): Buffer =>
  gzipSync(
    Buffer.concat([
      ...[...files].flatMap(([path, content]) => [
        makeHeader(path, content.length),
        content,
        padToBlock(content.length),
      ]),
      Buffer.alloc(2 * BLOCK_BYTES),
    ]),
    { level: 9 },
  );
