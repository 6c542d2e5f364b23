import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandRefused } from '../platform/index.ts';

const PRIVATE = 0o600;

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
};

const refuseToOverwrite = (path: string): void => {
  if (existsSync(path)) throw new CommandRefused(`${path} already exists. Choose another name, or remove it first.`);
};

/**
 * Adds the file's name to the system's message, such as "ENOSPC: no space left on device", because write errors don't
 * include the name.
 */
const explain = (error: unknown, path: string): unknown =>
  error instanceof Error && 'syscall' in error
    ? new CommandRefused(`${path} can't be written: ${error.message}.`)
    : error;

/**
 * Writes a file that is never incomplete under its own name: it's written as `<name>.part` and renamed once everything
 * is on disk. Replaces what an earlier attempt left behind. `check` can refuse what was written.
 */
export const writeWholeFile = async <Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
  check: (part: string) => Promise<unknown>,
): Promise<Result> => {
  refuseToOverwrite(path);
  const part = `${path}.part`;
  await rm(part, { force: true });
  const file = await open(part, 'wx', PRIVATE);
  const isOurs = async (): Promise<boolean> => {
    const [written, named] = await Promise.all([file.stat(), stat(part).catch(() => null)]);
    return written.ino === named?.ino;
  };
  const refuseReplaced = async (): Promise<void> => {
    if (!(await isOurs())) throw new CommandRefused(`Another backup to ${path} is running.`);
  };
  try {
    const result = await write(file);
    await file.sync();
    await refuseReplaced();
    await check(part);
    await refuseReplaced();
    refuseToOverwrite(path);
    await rename(part, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    if (await isOurs()) await rm(part, { force: true });
    throw explain(error, path);
  } finally {
    await file.close();
  }
};
