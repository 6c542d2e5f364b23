import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../database/sqlite/sqlite-statements.ts';

/** Another process holds this directory. */
export class DirectoryTaken extends Error {
  override readonly name = 'DirectoryTaken';
  readonly holder: string;

  constructor(directory: string, holder: string) {
    super(`Process ${holder} is using ${directory}.`);
    this.holder = holder;
  }
}

export const ensureDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
};

const readNote = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
};

/** How long to wait for a lock. Longer than `isLocked` holds it, so that a check can't keep a service from starting. */
const LONGEST_LOOK_MS = 200;

/** Keeps the connections referenced. A garbage-collected connection would release its lock. */
const held = new Set<DatabaseSync>();

const openLock = (directory: string, timeout: number): DatabaseSync =>
  new DatabaseSync(join(directory, 'serve.lock'), { timeout });

/**
 * Files with the process ID and URL of the lock's holder. If the holder was killed, they are left behind, so they are
 * only valid while the lock is held.
 */
const notesIn = (directory: string) => ({
  pid: join(directory, 'serve.pid'),
  address: join(directory, 'serve.url'),
});

/**
 * Locks the directory until `release`, or until the process ends for any reason. It's an operating system lock on an
 * SQLite file, so it can't go stale, and it works between containers, where process IDs mean nothing. The pid file is
 * only for the error message. `announce` writes the service's URL to a file that commands read.
 */
export const lockDirectory = (directory: string): { announce(address: string): void; release(): void } => {
  ensureDirectory(directory);
  const notes = notesIn(directory);
  const lock = openLock(directory, LONGEST_LOOK_MS);
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new DirectoryTaken(directory, readNote(notes.pid) ?? 'unknown') : error;
  }
  const removeNotes = (): void => {
    for (const note of Object.values(notes)) rmSync(note, { force: true });
  };
  removeNotes();
  writeFileSync(notes.pid, `${process.pid}\n`);
  held.add(lock);
  return {
    announce: (address) => writeFileSync(notes.address, `${address}\n`),
    release(): void {
      removeNotes();
      held.delete(lock);
      lock.close();
    },
  };
};

const isLocked = (directory: string): boolean => {
  const lock = openLock(directory, 0);
  try {
    lock.exec('select count(*) from sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
};

/** The URL of the service that holds the directory. Null if no service does, or if it isn't listening yet. */
export const findAnnounced = (directory: string): string | null => {
  const address = readNote(notesIn(directory).address);
  return address !== null && isLocked(directory) ? address : null;
};
