import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { TelephonyContext } from '../context.ts';
import { checkId, checkStorageKey, RecordingLost, type RecordingStorage } from '../contract/recording-storage.ts';

/** Syncs a folder, so that the name of a new file in it is on disk. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const ifMissing =
  <Value>(make: () => Value) =>
  (error: unknown): Value => {
    if (isMissing(error)) return make();
    throw error;
  };

const lost = () =>
  new RecordingLost("The audio of an archived recording isn't in this process's directory for recordings.");

/** Stores recordings as files, `<team>/<recording>`, readable only by the service's user. */
export const createRecordingFiles = ({
  recordingsFolder: root,
}: Pick<TelephonyContext, 'recordingsFolder'>): RecordingStorage => {
  const pathOf = (key: string): string => join(root, checkStorageKey(key));

  return {
    /** Moves the file, which must be on the same disk: see `incoming-files.ts`. */
    async put(key, { path }) {
      const target = pathOf(key);
      const folder = dirname(target);
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(root);
      await rename(path, target);
      await syncFolder(folder);
    },
    async open(key, { start, length }) {
      const file = await open(pathOf(key), 'r').catch((error) => {
        throw isMissing(error) ? lost() : error;
      });
      try {
        if ((await file.stat()).size < start + length) throw lost();
        if (length > 0) return file.createReadStream({ start, end: start + length - 1 });
        await file.close();
        return Readable.from([]);
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    async remove(key) {
      const target = pathOf(key);
      try {
        await rm(target);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      await syncFolder(dirname(target));
    },
    async forgetTeam(teamId) {
      const folder = join(root, checkId(teamId));
      // Deletes one file at a time. Deleting many at once would occupy the threads that sync the database's log.
      for (const name of await readdir(folder).catch(ifMissing(() => []))) await rm(join(folder, name));
      await rmdir(folder).catch(ifMissing(() => undefined));
    },
  };
};
