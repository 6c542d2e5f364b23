import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const DATABASE_FILE = /\.db(?:-wal|-shm|-journal)?$/;

/**
 * Takes database files that everybody can read away from all but their owner: they were made under a careless umask.
 * A mode that lets a group in and nobody else was chosen by somebody, and stays.
 */
export const closeToOthers = (directory: string): void => {
  for (const name of readdirSync(directory).filter((file) => DATABASE_FILE.test(file))) {
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && (found.mode & 0o007) !== 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & 0o700);
  }
};
