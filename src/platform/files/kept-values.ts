import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommandRefused } from '../commands/command.ts';
import { ensureDirectory } from './lock-directory.ts';

const LOCK_PATIENCE_MS = 5_000;

type KeptValues = Readonly<Record<string, string>>;

const checkValues = (values: unknown): KeptValues => {
  const fits =
    typeof values === 'object' && values !== null && Object.values(values).every((value) => typeof value === 'string');
  if (!fits) throw new TypeError('The file does not hold the expected values.');
  return values as KeptValues;
};

const readValues = (path: string): KeptValues => {
  try {
    return checkValues(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new CommandRefused(`${path} cannot be read. Restore it from a backup, or fix it by hand.`);
  }
};

const syncAndClose = (file: number): void => {
  fsyncSync(file);
  closeSync(file);
};

/**
 * Writes a new file and renames it once it's complete and on disk, so neither a reader nor a power cut ever sees half a
 * file. The new name is on disk, too, when this returns. Otherwise, a power cut could lose a new key, but keep what was
 * encrypted with it.
 */
const replaceValues = (path: string, values: KeptValues): void => {
  const fresh = `${path}.new`;
  // Never write to a file that was left behind or planted: others may be able to read it, or it may be a link.
  rmSync(fresh, { force: true });
  const file = openSync(fresh, 'wx', 0o600);
  writeSync(file, `${JSON.stringify(values, null, 2)}\n`);
  syncAndClose(file);
  renameSync(fresh, path);
  // On Windows, a folder can't be synced.
  if (process.platform !== 'win32') syncAndClose(openSync(dirname(path), 'r'));
};

/** The values in the directory's `secrets.json`. */
export const readKeptValues = (directory: string): KeptValues => readValues(join(directory, 'secrets.json'));

/** Reads, changes, and writes under a lock. If two processes start at once, the second gets the values of the first. */
export const changeKeptValues = (directory: string, change: (values: KeptValues) => KeptValues): KeptValues => {
  ensureDirectory(directory);
  const path = join(directory, 'secrets.json');
  const lock = new DatabaseSync(join(directory, 'secrets.lock'), { timeout: LOCK_PATIENCE_MS });
  try {
    lock.exec('begin exclusive');
    const before = readValues(path);
    const after = change(before);
    if (after !== before) replaceValues(path, after);
    return after;
  } finally {
    lock.close();
  }
};
