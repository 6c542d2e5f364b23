import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { ArchiveRefused } from './archive.ts';

const PIECE_BYTES = 256 * 1024;
/** Far longer than any row. Limited so that a file that isn't ours doesn't fill the memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

const isFileTrouble = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

const refuseUnlessFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch((error) => {
    throw isFileTrouble(error) && error.code === 'ENOENT' ? new ArchiveRefused('There is no such file.') : error;
  });
  if (found.isDirectory()) throw new ArchiveRefused('This is a directory. Name a file in it.');
};

/**
 * Reads some lines at a time. Throws ArchiveRefused if the file can't be decompressed or ends in the middle of a line.
 */
export async function* readLines(path: string): AsyncGenerator<string[]> {
  await refuseUnlessFile(path);
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
  if (rest !== '') throw new ArchiveRefused('The file is incomplete.');
}
