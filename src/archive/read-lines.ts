import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { ArchiveRefused } from './archive.ts';

const PIECE_BYTES = 256 * 1024;
/** Far longer than any row. Limited so that a file that isn't ours doesn't fill the memory. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** Node ends everything that it compresses in pieces with this empty frame. Its decompressor stops before the frame. */
const EMPTY_FRAME = Buffer.from('28b52ffd240001000099e9d851', 'hex');

const refuseIncomplete = () => new ArchiveRefused('The file is incomplete.');

const isFileTrouble = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

const measure = async (path: string): Promise<number> => {
  const found = await stat(path).catch((error) => {
    throw isFileTrouble(error) && error.code === 'ENOENT' ? new ArchiveRefused('There is no such file.') : error;
  });
  if (found.isDirectory()) throw new ArchiveRefused('This is a directory. Name a file in it.');
  return found.size;
};

/** Refuses a file that goes on after the bytes that the decompressor has read, except with an empty frame. */
const refuseRest = async (path: string, size: number, readBytes: number): Promise<void> => {
  if (readBytes >= size) return;
  const file = await open(path);
  const reading = file.read(Buffer.alloc(EMPTY_FRAME.length + 1), { position: readBytes });
  const { buffer, bytesRead } = await reading.finally(() => file.close());
  const rest = buffer.subarray(0, bytesRead);
  if (rest.equals(EMPTY_FRAME)) return;
  if (rest.equals(EMPTY_FRAME.subarray(0, bytesRead))) throw refuseIncomplete();
  throw new ArchiveRefused('The file has bytes after its end: it was changed after it was made.');
};

/**
 * Reads some lines at a time. Throws ArchiveRefused if the file can't be decompressed, ends in the middle of a line, or
 * goes on after its last line. (The decompressor ignores anything after the last line.)
 */
export async function* readLines(path: string): AsyncGenerator<string[]> {
  const size = await measure(path);
  const text = createZstdDecompress({ chunkSize: PIECE_BYTES });
  pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), text, () => undefined);
  let rest = '';
  try {
    for await (const chunk of text.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw new ArchiveRefused('The file is not a backup of Patchbay.');
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (error instanceof ArchiveRefused || isFileTrouble(error)) throw error;
    throw new ArchiveRefused('The file is damaged or incomplete, or is not a backup of Patchbay.');
  }
  if (rest !== '') throw refuseIncomplete();
  await refuseRest(path, size, text.bytesWritten);
}
