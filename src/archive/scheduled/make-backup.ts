import {
  CommandRefused,
  type Database,
  type Log,
  type NewId,
  type Pause,
  type Progress,
  takeRandomBytes,
  toIso,
} from '../../platform/index.ts';
import { type ArchiveContext, type BackedUp, backUp } from '../back-up.ts';
import type { BackupAlerts } from './backup-alerts.ts';
import type { BackupPlace } from './backup-place.ts';
import {
  completeBackup,
  deleteBackupsBefore,
  failBackup,
  insertBackup,
  listLeftRunning,
  listOlder,
  markBackupRemoved,
} from './backup-store.ts';

export type MakeContext = ArchiveContext & {
  database: Database;
  newId: NewId;
  log: Log;
  place: BackupPlace;
  keep: number;
  alerts: Pick<BackupAlerts, 'resolve'>;
  pause: Pick<Pause, 'read'>;
};

type MadeBackup = Pick<BackedUp, 'bytes' | 'rows' | 'tables' | 'takenAt' | 'recordings'> & {
  name: string;
  place: string;
  removed: string[];
};

/** After this time, a running backup is treated as abandoned. Longer than any backup takes. */
const ABANDONED_MS = 24 * 3_600_000;
const ROWS_KEPT_MS = 90 * 24 * 3_600_000;
const MOST_PROBLEM = 300;

/** Makes a unique name, such as `patchbay-20261117T083000Z-1f2e3d.zst`. */
const nameAt = (now: number): string =>
  `patchbay-${toIso(now).replace(/[-:]|\.\d{3}/g, '')}-${takeRandomBytes(3).toString('hex')}.zst`;

const describe = (error: unknown): string =>
  (error instanceof Error ? error.message : 'The backup failed.').slice(0, MOST_PROBLEM);

/**
 * Settles backups whose process ended before it could record the result. A file with its final name is complete, so its
 * backup is recorded as completed. (A restored database has such a row: for the backup that it was restored from.)
 */
const settleAbandoned = async ({ database, clock, place, log }: MakeContext): Promise<void> => {
  const now = clock.now();
  for (const { id, name, place: where, begunAt } of await listLeftRunning(database, now - ABANDONED_MS)) {
    try {
      if (where === place.id) await place.removePart(name);
      const bytes = where === place.id ? await place.measure(name) : null;
      if (bytes === null) await failBackup(database, id, 'The process ended before the backup was complete.', now);
      else await completeBackup(database, id, bytes, begunAt);
    } catch (err) {
      log.warn({ err, name }, 'an abandoned backup could not be deleted or counted');
    }
  }
};

/**
 * Deletes the files of older backups that have a row. If a file isn't found, its row stays, because the file may be
 * elsewhere.
 */
const removeOlder = async ({ database, clock, place, keep, log }: MakeContext): Promise<string[]> => {
  const removed: string[] = [];
  for (const { id, name } of await listOlder(database, place.id, keep, clock.now())) {
    try {
      if (!(await place.remove(name))) continue;
      await markBackupRemoved(database, id);
      removed.push(name);
    } catch (err) {
      log.warn({ err, name }, 'an old backup could not be deleted');
    }
  }
  return removed;
};

const isOfFileSystem = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && 'path' in error;

const writeBackup = async (context: MakeContext, name: string, progress: Progress): Promise<BackedUp> => {
  try {
    return await backUp(context, await context.place.fileFor(name), progress);
  } catch (error) {
    if (!isOfFileSystem(error)) throw error;
    throw new CommandRefused(`${error.message}. ${context.place.advice}`);
  }
};

/**
 * Makes a backup, and deletes those that are no longer to be kept. While the service is paused, nothing is deleted: it
 * may be a restored copy, whose rows are about backups that the original still needs.
 */
export const makeBackup = async (context: MakeContext, progress: Progress): Promise<MadeBackup> => {
  const { database, clock, newId, place, alerts, pause } = context;
  const isPaused = (await pause.read()) !== null;
  if (!isPaused) await settleAbandoned(context);
  const begunAt = clock.now();
  const backup = { id: newId(), place: place.id, name: nameAt(begunAt), begunAt };
  await insertBackup(database, backup);
  try {
    const { bytes, rows, tables, takenAt, recordings } = await writeBackup(context, backup.name, progress);
    await place.keep(backup.name);
    await completeBackup(database, backup.id, bytes, clock.now());
    await alerts.resolve();
    const removed = isPaused ? [] : await removeOlder(context);
    await deleteBackupsBefore(database, begunAt - ROWS_KEPT_MS);
    return { name: backup.name, place: place.id, bytes, rows, tables, takenAt, recordings, removed };
  } catch (error) {
    await failBackup(database, backup.id, describe(error), clock.now());
    throw error;
  }
};
