import {
  type Clock,
  type Collector,
  compareMigrations,
  type Database,
  describeUnknown,
  getMigrationState,
  type MigrationState,
  type Outbound,
  PAUSED_ADVICE,
  readPaused,
  type Secret,
  toIso,
} from '../platform/index.ts';
import { countTeamsOfOtherIssuers } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { type Finding, ok, PATIENCE_MS, trouble, warning } from './finding.ts';

export type DoctorContext = {
  clock: Clock;
  database: Database;
  vault: Vault;
  /** Outgoing requests that also work while the service is paused. */
  ownOutbound: Outbound;
  data: string;
  /** Settings that don't exist, each with the setting that was probably meant. */
  unknownSettings: readonly { name: string; didYouMean: string | null }[];
  /** The issuer URL of the identity provider. Null if there is none. */
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
  /** The size of a scheduled backup in bytes. Null if the backup is missing. */
  measureBackup: (name: string) => Promise<number | null>;
  /** Throws if the bucket for recordings doesn't work. The function is null if there is no bucket. */
  checkBucket: (() => Promise<void>) | null;
  /**
   * Returns what is wrong with the mail server, or null if it works. The function is null if there is no mail server.
   */
  checkMail: (() => Promise<string | null>) | null;
  /** The collector of spans. Null if there is none. */
  collector: Collector | null;
  /** The server that turns recordings into text. Null if there is none. */
  transcriber: { url: string; key: Secret | null; model: string } | null;
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

const MOST_RESPONSE_BYTES = 100_000;
const MOST_SKEW_MS = 2_000;

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

const NO_MAIL =
  'No mail server is set, so alerts, reports, and sign-in links are not sent by email. Set SMTP_URL and MAIL_FROM.';

export const checkMailServer = async ({ checkMail, production }: DoctorContext): Promise<Finding[]> => {
  if (!checkMail) return production ? [warning('mail', NO_MAIL)] : [];
  const problem = await checkMail();
  return problem === null
    ? [ok('mail', 'The mail server accepts the connection.')]
    : [trouble('mail', `${problem} Check SMTP_URL and the mail server.`)];
};

/** Requests our public URL from this machine. This doesn't test a proxy that only outside requests go through. */
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
