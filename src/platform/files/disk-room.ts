import { statfsSync } from 'node:fs';

const FULL_BYTES = 100_000;

/** How many bytes are free on the directory's disk. */
export const readFreeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** Whether there is too little space for a database to keep writing. False if that can't be determined. */
export const isDiskFull = (directory: string): boolean => {
  try {
    return readFreeBytes(directory) < FULL_BYTES;
  } catch {
    return false;
  }
};
