import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const folderOf = (recordingsFolder: string): string => join(recordingsFolder, 'incoming');

/**
 * Returns the path of a new file for a recording that is being downloaded. The file is next to the stored recordings,
 * so that it can be moved instead of copied. If the process ends meanwhile, the file stays until `removeLeftovers`.
 */
export const newIncomingFile = async (recordingsFolder: string): Promise<string> => {
  const folder = folderOf(recordingsFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, randomUUID());
};

/** Removes files last written before this time. Returns how many were removed. */
export const removeLeftovers = async (recordingsFolder: string, before: number): Promise<number> => {
  const folder = folderOf(recordingsFolder);
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
