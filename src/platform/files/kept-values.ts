import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
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

/** As a whole and on disk before the name points to it: a reader never sees half a file, nor does a power cut leave one. */
const replaceValues = (path: string, values: KeptValues): void => {
  const fresh = `${path}.new`;
  // One left behind, or put there by somebody else, is not written to: it may be readable, or lead elsewhere.
  rmSync(fresh, { force: true });
  const file = openSync(fresh, 'wx', 0o600);
  writeSync(file, `${JSON.stringify(values, null, 2)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(fresh, path);
};

/** What is kept in `secrets.json` of the directory. */
export const readKeptValues = (directory: string): KeptValues => readValues(join(directory, 'secrets.json'));

/** Reads, changes and writes under a lock, so that two processes that start at once keep the same values. */
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
