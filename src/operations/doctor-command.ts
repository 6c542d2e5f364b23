import { accessSync, constants, statfsSync } from 'node:fs';
import {
  type Command,
  compareMigrations,
  type Database,
  describeNewer,
  getMigrationState,
  type MigrationState,
  type Outbound,
  printTable,
} from '../platform/index.ts';
import { countTeamsOfOtherIssuers } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';

type DoctorContext = {
  database: Database;
  vault: Vault;
  outbound: Outbound;
  data: string;
  /** The identity provider, or null if there is none. */
  issuer: string | null;
  url: string;
  production: boolean;
  /** Throws if the bucket for recordings doesn't work. Null if there is none. */
  checkBucket: (() => Promise<void>) | null;
  /** Returns what is wrong with the mail server, or null. Null if there is none. */
  checkMail: (() => Promise<string | null>) | null;
};

/** The result of one check, and what to do about it. */
type Finding = { check: string; state: 'ok' | 'warning' | 'trouble'; message: string };

const PATIENCE_MS = 5_000;
const LEAST_FREE_BYTES = 1_000_000_000;
const MOST_RESPONSE_BYTES = 100_000;
const MOST_SKEW_MS = 2_000;

const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });
const warning = (check: string, message: string): Finding => ({ check, state: 'warning', message });
const trouble = (check: string, message: string): Finding => ({ check, state: 'trouble', message });

/** If `look` throws, that is the finding, together with advice. */
const examine = async <Found>(check: string, advice: string, look: () => Promise<Found>): Promise<Found | Finding> => {
  try {
    return await look();
  } catch (error) {
    return trouble(check, `${error instanceof Error ? error.message : 'The check failed.'} ${advice}`.trimEnd());
  }
};

const describeMigrations = ({ pending, unknown }: MigrationState): Finding => {
  if (unknown[0] !== undefined) return trouble('migrations', describeNewer(unknown[0]));
  return pending.length > 0
    ? warning('migrations', `${pending.length} pending. Run "migrate", or start the service.`)
    : ok('migrations', 'Up to date.');
};

const checkDatabase = async (database: Database): Promise<Finding[]> => {
  const { version, clockSkewMs, integrity, migrations } = await database.diagnose(PATIENCE_MS);
  return [
    integrity === 'damaged'
      ? trouble('database', `${database.engine} ${version} is damaged. Restore a backup.`)
      : ok('database', `${database.engine} ${version} responds. Integrity: ${integrity}.`),
    describeMigrations(compareMigrations(migrations)),
    Math.abs(clockSkewMs) > MOST_SKEW_MS
      ? warning('clock', `The database and this machine are ${Math.round(clockSkewMs)} ms apart. Use NTP on both.`)
      : ok('clock', `This machine and the database are ${Math.round(clockSkewMs)} ms apart.`),
  ];
};

const checkKeys = async ({ database, vault }: DoctorContext): Promise<Finding> => {
  const state = await getMigrationState(database).catch(() => null);
  if (state?.applied === 0) return warning('keys', 'Not used yet.');
  await vault.verifyRing();
  return ok('keys', 'PATCHBAY_KEYS can decrypt every team key.');
};

/** A token that names a team of another issuer is refused without a reason, because its sender must not learn of it. */
const checkIssuer = async ({ database, issuer }: DoctorContext): Promise<Finding[]> => {
  const state = await getMigrationState(database).catch(() => null);
  if (state?.pending.length !== 0) return [];
  const { count, example } = await countTeamsOfOtherIssuers(database, issuer);
  if (count === 0) return [];
  const teams = count === 1 ? '1 team belongs' : `${count} teams belong`;
  const advice = `Their users can't get in${issuer === null ? '' : ', and tokens that name them may be refused'}.`;
  const message = `${teams} to an identity provider that isn't AUTH_ISSUER, such as ${example}. ${advice} Check AUTH_ISSUER.`;
  return [warning('identity provider', message)];
};

const checkDisk = (data: string): Finding => {
  try {
    accessSync(data, constants.W_OK);
    const { bavail, bsize } = statfsSync(data);
    const free = bavail * bsize;
    const gigabytes = `${(free / 1e9).toFixed(1)} GB free in ${data}.`;
    return free < LEAST_FREE_BYTES ? warning('disk', `Only ${gigabytes} Free up some space.`) : ok('disk', gigabytes);
  } catch {
    return trouble('disk', `${data} is not writable. Create it, or set PATCHBAY_DATA to a writable directory.`);
  }
};

const checkRecordings = async (checkBucket: () => Promise<void>): Promise<Finding> => {
  await checkBucket();
  return ok('recordings', 'The bucket works.');
};

const checkMailServer = async (checkMail: () => Promise<string | null>): Promise<Finding> => {
  const problem = await checkMail();
  return problem === null
    ? ok('mail', 'The mail server accepts the connection.')
    : trouble('mail', `${problem} Check SMTP_URL and the mail server.`);
};

/** From this machine, so it doesn't cover a proxy that only outside requests go through. */
const checkPublicAddress = async ({ outbound, url, production }: DoctorContext): Promise<Finding> => {
  if (production && url.startsWith('http:')) {
    return warning(
      'public address',
      `${url} is not https, so tokens and cookies are sent unencrypted. Put a TLS proxy in front and set PATCHBAY_URL.`,
    );
  }
  try {
    const request = { url: `${url}/healthz`, trusted: true, timeoutMs: PATIENCE_MS, mostBytes: MOST_RESPONSE_BYTES };
    const { status, headers } = await outbound.request(request);
    if (status === 200 && headers['patchbay-version']) return ok('public address', `${url} responds.`);
    return warning('public address', `${url} responds, but not as Patchbay. Check the proxy and PATCHBAY_URL.`);
  } catch {
    return warning(
      'public address',
      `${url} does not respond from here. Start the service, or check the proxy and PATCHBAY_URL.`,
    );
  }
};

export const doctorCommand = (open: () => Promise<DoctorContext>): Command => ({
  name: 'doctor',
  about: 'Checks settings, database, keys, clock, disk, bucket, mail, and public address, and tells you what to fix.',
  async run() {
    const context = await open();
    const { database, data, production, checkBucket, checkMail } = context;
    const findings: Finding[] = [
      ok('settings', `Valid. Production rules are ${production ? 'on' : 'off'}.`),
      await examine('database', 'Check that it is running and DATABASE_URL is right.', () => checkDatabase(database)),
      await examine('keys', '', () => checkKeys(context)),
      await examine('identity provider', '', () => checkIssuer(context)),
      checkDisk(data),
      checkBucket
        ? await examine('recordings', 'Check the S3_* settings and the bucket.', () => checkRecordings(checkBucket))
        : [],
      checkMail ? await checkMailServer(checkMail) : [],
      await checkPublicAddress(context),
    ].flat();
    const healthy = findings.every(({ state }) => state !== 'trouble');
    const rows = findings.map(({ check, state, message }) => [state, check, message]);
    return {
      text: printTable(['state', 'check', 'finding'], rows),
      json: { healthy, findings },
      exitCode: healthy ? 0 : 1,
    };
  },
});
