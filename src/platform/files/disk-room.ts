import { statfsSync } from 'node:fs';

const FULL_BYTES = 100_000;

/** How much room there is for another file in a directory. */
export const readFreeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** Whether there is less room than a database needs to go on. False if nobody can tell. */
export const isDiskFull = (directory: string): boolean => {
  try {
    return readFreeBytes(directory) < FULL_BYTES;
  } catch {
    return false;
  }
};
