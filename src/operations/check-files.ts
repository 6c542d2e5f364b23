import { accessSync, constants, existsSync } from 'node:fs';
import { getMigrationState, isDiskFull, isWritable, readFreeBytes, sayBytes, toIso } from '../platform/index.ts';
import type { DoctorContext } from './doctor-checks.ts';
import { type Finding, ok, trouble, warning } from './finding.ts';

const LEAST_FREE_BYTES = 1_000_000_000;

const HOUR_MS = 3_600_000;

export const checkDisk = (data: string): Finding => {
  try {
    accessSync(data, constants.W_OK);
    if (isDiskFull(data)) return trouble('disk', `The disk is full. Free up some space for ${data}.`);
    const free = readFreeBytes(data);
    const gigabytes = `${(free / 1e9).toFixed(1)} GB free in ${data}.`;
    return free < LEAST_FREE_BYTES ? warning('disk', `Only ${gigabytes} Free up some space.`) : ok('disk', gigabytes);
  } catch {
    return trouble('disk', `${data} is not writable. Create it, or set PATCHBAY_DATA to a writable directory.`);
  }
};

export const checkJournal = async ({ data, countJournaled }: DoctorContext): Promise<Finding[]> => {
  const count = await countJournaled();
  if (count === 0) return [];
  const waiting = count === 1 ? '1 delivery waits' : `${count} deliveries wait`;
  const advice =
    'The service stores them when the database is back. If they stay, its log names the file and says why: a key may be missing.';
  return [warning('journal', `${waiting} in ${data}/journal or ${data}/webhook-journal. ${advice}`)];
};

const RECORDINGS_APART =
  'Stored in the data directory of this process. Other processes on this database cannot read or erase them. Before you start a second one, set PATCHBAY_RECORDINGS to a directory that all of them share, or set up a bucket.';

const RECORDINGS_LOST =
  "The newest recording isn't there. After a restore without recordings, copy them. If there are several processes, all of them need the same directory (PATCHBAY_RECORDINGS) or bucket.";

const checkFolder = (folder: string): Finding => {
  if (!isWritable(folder)) return trouble('recordings', `${folder} is not writable. Check PATCHBAY_RECORDINGS.`);
  return existsSync(folder)
    ? ok('recordings', `${folder} is writable.`)
    : warning('recordings', `${folder} does not exist yet. If it should be mounted there, check that.`);
};

export const checkRecordings = async (context: DoctorContext): Promise<Finding[]> => {
  const { database, checkBucket, keepsRecordingsToItself, sharedRecordings, hasNewestAudio } = context;
  await checkBucket?.();
  const folder = sharedRecordings === null ? null : checkFolder(sharedRecordings);
  if (folder?.state === 'trouble') return [folder];
  const state = await getMigrationState(database).catch(() => null);
  if (state?.pending.length === 0 && (await hasNewestAudio()) === false)
    return [trouble('recordings', RECORDINGS_LOST)];
  if (keepsRecordingsToItself) return [warning('recordings', RECORDINGS_APART)];
  if (checkBucket) return [ok('recordings', 'The bucket works.')];
  return folder ? [folder] : [];
};

const NO_BACKUPS = 'None are scheduled. Set PATCHBAY_BACKUP_TO, or make them by other means.';

const sayAge = (ms: number): string => {
  const hours = Math.floor(ms / HOUR_MS);
  if (hours < 1) return 'less than an hour';
  return hours === 1 ? '1 hour' : `${hours} hours`;
};

export const checkBackups = async (context: DoctorContext): Promise<Finding[]> => {
  const { database, clock, backups, measureBackup, production } = context;
  const state = await getMigrationState(database).catch(() => null);
  if (state?.pending.length !== 0) return [];
  if (!backups) return production ? [warning('backups', NO_BACKUPS)] : [];
  const { last, isOverdue, problem } = await backups.getState();
  const newest = last
    ? `The newest was completed at ${toIso(last.endedAt)}, ${sayAge(clock.now() - last.endedAt)} ago, and has ${sayBytes(last.bytes)}.`
    : 'None was completed yet.';
  if (backups.directory !== null && !isWritable(backups.directory))
    return [trouble('backups', `${backups.directory} is not writable. Check PATCHBAY_BACKUP_TO. ${newest}`)];
  const bytes = last && (await measureBackup(last.name));
  if (last && bytes !== last.bytes)
    return [
      trouble(
        'backups',
        `${newest} But ${last.name} ${bytes === null ? 'is no longer there' : `has ${sayBytes(bytes)} now`}. Check PATCHBAY_BACKUP_TO, and run "backup now".`,
      ),
    ];
  const cause = problem === null ? '' : ` The latest attempt failed: ${problem}`;
  const say = isOverdue || problem !== null ? warning : ok;
  return [say('backups', `${newest}${cause}`)];
};
