import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether it's a directory that can be written to. If it doesn't exist yet, it's created in the next one above it that does. */
export const isWritable = (directory: string): boolean => {
  if (!existsSync(directory) && dirname(directory) !== directory) return isWritable(dirname(directory));
  try {
    accessSync(directory, constants.W_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
};
