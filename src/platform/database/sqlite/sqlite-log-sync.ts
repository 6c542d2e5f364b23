import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onFirstUse } from '../../running/on-first-use.ts';

/** Puts the name of a new file on disk by syncing its directory. Windows doesn't need this. */
const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const directory = await open(dirname(path), 'r');
  await directory.sync().finally(() => directory.close());
};

const CHECK_EVERY_MS = 100;

/**
 * Throws if the log was deleted while the service is running. Writes to a deleted log succeed, but nobody can ever read
 * them.
 */
const createDeletionCheck = () => {
  let hadName = false;
  let dueAt = 0;
  return async (file: FileHandle): Promise<void> => {
    const now = performance.now();
    if (now < dueAt) return;
    const { nlink } = await file.stat();
    if (hadName && nlink === 0) throw Object.assign(new Error('The log was deleted.'), { code: 'deleted' });
    hadName ||= nlink > 0;
    dueAt = now + CHECK_EVERY_MS;
  };
};

/**
 * Waits for the disk without blocking the event loop. SQLite's own `synchronous = full` waits inside COMMIT, which
 * blocks all requests: a tenth of a millisecond on a fast disk, a hundred or more during other writes.
 *
 * `sync` resolves once everything that was committed before the call is on disk. Calls during a sync share the next
 * sync.
 */
export const createSqliteLogSync = (path: string) => {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const refuseDeleted = createDeletionCheck();

  const openLog = onFirstUse(async () => {
    const file = await open(`${path}-wal`, 'r+');
    await syncDirectory(path);
    return file;
  });

  const begin = (): Promise<void> => {
    next = null;
    running = openLog()
      .then(async (file) => {
        await file.datasync();
        await refuseDeleted(file);
      })
      .finally(() => {
        if (next === null) running = null;
      });
    return running;
  };

  return {
    sync(): Promise<void> {
      if (!running) return begin();
      next ??= running.then(begin, begin);
      return next;
    },
    async close(): Promise<void> {
      await (next ?? running)?.catch(() => undefined);
      await (await openLog.begun()?.catch(() => undefined))?.close();
    },
  };
};
