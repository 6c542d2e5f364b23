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

/** Without a reference, the connection would be garbage collected, and the lock released. */
const held = new Set<DatabaseSync>();

/**
 * Locks the directory until `release`, or until the process ends for any reason. It's an operating system lock on an
 * SQLite file, so it can't go stale, and it works between containers, where process ids mean nothing. The pid file is
 * only for the error message.
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
