import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Whether we can write to a directory. If it doesn't exist yet, checks the closest parent that does, in which it would
 * be created.
 */
export const isWritable = (directory: string): boolean => {
  if (!existsSync(directory) && dirname(directory) !== directory) return isWritable(dirname(directory));
  try {
    accessSync(directory, constants.W_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
};
