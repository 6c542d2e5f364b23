import { accessSync, constants, existsSync } from 'node:fs';
import {
  type Clock,
  compareMigrations,
  type Database,
  describeUnknown,
  getMigrationState,
  isDiskFull,
  isWritable,
  type MigrationState,
  type Outbound,
  PAUSED_ADVICE,
  readFreeBytes,
  readPaused,
  sayBytes,
  toIso,
} from '../platform/index.ts';
import { countTeamsOfOtherIssuers } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';

export type DoctorContext = {
  clock: Clock;
  database: Database;
  vault: Vault;
  /** Outgoing requests that also work while the service is paused. */
  ownOutbound: Outbound;
  data: string;
  /** Settings that don't exist, each with the setting that was probably meant. */
  unknownSettings: readonly { name: string; didYouMean: string | null }[];
  /** The identity provider, or null if there is none. */
  issuer: string | null;
  url: string;
  production: boolean;
  /** True if other processes on this database can't read or erase the recordings of this process. */
  keepsRecordingsToItself: boolean;
  /** The directory for recordings that all processes share. Null if there is none. */
  sharedRecordings: string | null;
  /** Whether the audio of the newest recording is in storage. Null if there are no recordings. */
  hasNewestAudio: () => Promise<boolean | null>;
  /** How many deliveries are in the data directory, waiting to be written to the database. */
  countJournaled: () => Promise<number>;
  /** The size of a scheduled backup in bytes. Null if the backup isn't there. */
  measureBackup: (name: string) => Promise<number | null>;
  /** Throws if the bucket for recordings doesn't work. The function is null if there is no bucket. */
  checkBucket: (() => Promise<void>) | null;
  /**
   * Returns what is wrong with the mail server, or null if it works. The function is null if there is no mail server.
   */
  checkMail: (() => Promise<string | null>) | null;
  /** The state of scheduled backups. Null if no backups are scheduled. */
  backups: {
    /** The directory of the backups. Null if they are in a bucket. */
    directory: string | null;
    getState(): Promise<{
      last: { name: string; endedAt: number; bytes: number } | null;
      isOverdue: boolean;
      problem: string | null;
    }>;
  } | null;
};

/** The result of one check, and what to do about it. */
export type Finding = { check: string; state: 'ok' | 'warning' | 'trouble'; message: string };

const PATIENCE_MS = 5_000;
const LEAST_FREE_BYTES = 1_000_000_000;
const MOST_RESPONSE_BYTES = 100_000;
const MOST_SKEW_MS = 2_000;
const HOUR_MS = 3_600_000;

const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });
const warning = (check: string, message: string): Finding => ({ check, state: 'warning', message });
const trouble = (check: string, message: string): Finding => ({ check, state: 'trouble', message });

/** Runs a check. If `look` throws, the finding is that error together with the advice. */
export const examine = async <Found>(
  check: string,
  advice: string,
  look: () => Promise<Found>,
): Promise<Found | Finding> => {
  try {
    return await look();
  } catch (error) {
    return trouble(check, `${error instanceof Error ? error.message : 'The check failed.'} ${advice}`.trimEnd());
  }
};

export const checkSettings = ({ unknownSettings, production }: DoctorContext): Finding => {
  const rules = `Production rules are ${production ? 'on' : 'off'}.`;
  if (unknownSettings.length === 0) return ok('settings', `Valid. ${rules}`);
  const names = unknownSettings.map(
    ({ name, didYouMean }) => name + (didYouMean ? ` (did you mean ${didYouMean}?)` : ''),
  );
  return warning('settings', `Unknown, and ignored: ${names.join(', ')}. ${rules}`);
};

const describeMigrations = ({ pending, unknown }: MigrationState): Finding => {
  if (unknown.length > 0) return trouble('migrations', describeUnknown(unknown));
  return pending.length > 0
    ? warning('migrations', `${pending.length} pending. Run "migrate", or start the service.`)
    : ok('migrations', 'Up to date.');
};

export const checkDatabase = async (database: Database): Promise<Finding[]> => {
  const { version, clockSkewMs, integrity, migrations } = await database.diagnose(PATIENCE_MS);
  return [
    integrity === 'damaged'
      ? trouble('database', `${database.engine} ${version} is damaged. Restore a backup.`)
      : ok('database', `${database.engine} ${version} responds. Integrity: ${integrity}.`),
    describeMigrations(compareMigrations(migrations)),
    Math.abs(clockSkewMs) > MOST_SKEW_MS
      ? warning(
          'clock',
          `The database and this machine are ${Math.round(Math.abs(clockSkewMs))} ms apart. Use NTP on both.`,
        )
      : ok('clock', `This machine and the database are ${Math.round(Math.abs(clockSkewMs))} ms apart.`),
  ];
};

export const checkPause = async (database: Database): Promise<Finding[]> => {
  const state = await getMigrationState(database).catch(() => null);
  if (state?.pending.length !== 0) return [];
  const paused = await readPaused(database);
  if (!paused) return [];
  return [warning('pause', `Paused since ${toIso(paused.at)}: ${paused.reason} ${PAUSED_ADVICE}`)];
};

export const checkKeys = async ({ database, vault }: DoctorContext): Promise<Finding> => {
  const state = await getMigrationState(database).catch(() => null);
  if (state?.applied === 0) return warning('keys', 'Not used yet.');
  await vault.verifyRing();
  return ok('keys', 'PATCHBAY_KEYS can decrypt every team key.');
};

/**
 * Warns about teams of another issuer. Tokens that name such a team are refused without a reason, because the sender
 * must not learn that the team exists.
 */
export const checkTeamsOfIssuer = async ({ database, issuer }: DoctorContext): Promise<Finding[]> => {
  const state = await getMigrationState(database).catch(() => null);
  if (state?.pending.length !== 0) return [];
  const { count, example } = await countTeamsOfOtherIssuers(database, issuer);
  if (count === 0) return [];
  const teams = count === 1 ? '1 team belongs' : `${count} teams belong`;
  const advice = `Their users can't get in${issuer === null ? '' : ', and tokens that name them may be refused'}.`;
  const message = `${teams} to an identity provider that isn't AUTH_ISSUER, such as ${example}. ${advice} Check AUTH_ISSUER.`;
  return [warning('identity provider', message)];
};

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
  return [warning('journal', `${waiting} in ${data}/journal. ${advice}`)];
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

const NO_MAIL =
  'No mail server is set, so alerts, reports, and sign-in links are not sent by email. Set SMTP_URL and MAIL_FROM.';

export const checkMailServer = async ({ checkMail, production }: DoctorContext): Promise<Finding[]> => {
  if (!checkMail) return production ? [warning('mail', NO_MAIL)] : [];
  const problem = await checkMail();
  return problem === null
    ? [ok('mail', 'The mail server accepts the connection.')]
    : [trouble('mail', `${problem} Check SMTP_URL and the mail server.`)];
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

/** Requests our public address from this machine. A proxy that only outside requests go through isn't covered. */
export const checkPublicAddress = async ({ ownOutbound, url, production }: DoctorContext): Promise<Finding> => {
  if (production && url.startsWith('http:')) {
    return warning(
      'public address',
      `${url} is not https, so tokens and cookies are sent unencrypted. Put a TLS proxy in front and set PATCHBAY_URL.`,
    );
  }
  try {
    const request = { url: `${url}/healthz`, trusted: true, timeoutMs: PATIENCE_MS, mostBytes: MOST_RESPONSE_BYTES };
    const { status, headers } = await ownOutbound.request(request);
    if (status === 200 && headers['patchbay-version']) return ok('public address', `${url} responds.`);
    return warning('public address', `${url} responds, but not as Patchbay. Check the proxy and PATCHBAY_URL.`);
  } catch {
    return warning(
      'public address',
      `${url} does not respond from here. Start the service, or check the proxy and PATCHBAY_URL.`,
    );
  }
};
