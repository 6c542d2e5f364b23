import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const DATABASE_FILE = /\.db(?:-wal|-shm|-journal)?$/;

/**
 * Makes database files that anyone can read, because of a careless umask, private to their owner. A mode that only lets
 * a group in was chosen on purpose, and stays.
 */
export const closeToOthers = (directory: string): void => {
  for (const name of readdirSync(directory).filter((file) => DATABASE_FILE.test(file))) {
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && (found.mode & 0o007) !== 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & 0o700);
  }
};
