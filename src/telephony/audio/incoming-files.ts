import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const folderOf = (directory: string): string => join(directory, 'recordings', 'incoming');

/**
 * Where a recording lands before it is whole: beside those that are kept, so that it is moved and not copied. A process
 * that ends in between leaves it behind, and nothing points to it.
 */
export const newIncomingFile = async (directory: string): Promise<string> => {
  const folder = folderOf(directory);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, randomUUID());
};

/** Removes what was last written to before this time. Answers how many there were. */
export const removeLeftovers = async (directory: string, before: number): Promise<number> => {
  const folder = folderOf(directory);
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  let removed = 0;
  for (const name of names) {
    const path = join(folder, name);
    const writtenAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (writtenAt >= before) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
};
