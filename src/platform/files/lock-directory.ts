import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../database/sqlite/sqlite-statements.ts';

/** Another process holds this directory. */
export class DirectoryTaken extends Error {
  override readonly name = 'DirectoryTaken';
  readonly holder: string;

  constructor(directory: string, holder: string) {
    super(`Process ${holder} is already serving from ${directory}.`);
    this.holder = holder;
  }
}

export const ensureDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
};

const readHolder = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
};

/** A connection that nothing refers to is closed with the next garbage collection, and the lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory for this process until `release`, or until the process ends in whatever way. The lock is the
 * operating system's own, held through an SQLite file: it cannot go stale, and it holds between containers, where
 * process ids say nothing. The file beside it only helps the message.
 */
export const lockDirectory = (directory: string): { release(): void } => {
  ensureDirectory(directory);
  const holderFile = join(directory, 'serve.pid');
  const lock = new DatabaseSync(join(directory, 'serve.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new DirectoryTaken(directory, readHolder(holderFile)) : error;
  }
  writeFileSync(holderFile, `${process.pid}\n`);
  held.add(lock);
  return {
    release(): void {
      rmSync(holderFile, { force: true });
      held.delete(lock);
      lock.close();
    },
  };
};
