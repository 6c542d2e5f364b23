import { resolve } from 'node:path';
import type { SettingValues } from '../platform/index.ts';
import { settings } from './settings.ts';

type Values = SettingValues<typeof settings>;

const LEAST_CHARACTERS = 16;
const LEAST_DIFFERENT = 8;

const isWeak = (secret: string): boolean => secret.length < LEAST_CHARACTERS || new Set(secret).size < LEAST_DIFFERENT;

/** Secrets that give access, so each must be strong and different from the others. */
const DOORS = ['adminToken', 'operatorTokens', 'cronSecrets', 'debugToken', 'metricsToken'] as const;

/** Finds what production doesn't accept: missing keys, weak secrets, and a secret that is used twice. */
export const findProductionProblems = (values: Values): string[] => {
  const problems: string[] = [];
  if (!values.keys) {
    problems.push(
      'PATCHBAY_KEYS must be set in production. Use k1:<output of "openssl rand -base64 32">, or the keys in secrets.json of the data directory you used before.',
    );
  }
  const holders = new Map<string, string>();
  const secrets = DOORS.flatMap((key) =>
    [values[key] ?? []].flat().map((secret) => ({ name: settings[key].name, value: secret.reveal() })),
  );
  for (const { name, value } of secrets) {
    const holder = holders.get(value);
    if (isWeak(value)) {
      problems.push(
        `${name} is too weak for production. Use at least ${LEAST_CHARACTERS} random characters ("openssl rand -base64 32").`,
      );
    } else if (values.keys?.reveal().includes(value)) {
      problems.push(`${name} must not be a key from PATCHBAY_KEYS. Use a different secret for each setting.`);
    } else if (holder !== undefined) {
      problems.push(
        `${name} must not equal ${holder === name ? 'another entry in its list' : holder}. Use a different secret for each setting.`,
      );
    }
    holders.set(value, name);
  }
  return problems;
};

/** If the first setting is set, the second must be, too. */
const NEEDS = [
  ['smtpUrl', 'mailFrom', 'It is the sender of all email.'],
  ['authIssuer', 'authAudience', 'It is the audience that tokens must have.'],
  ['authClientId', 'authIssuer', 'It is the identity provider that people sign in with.'],
  ['transcribeKey', 'transcribeUrl', 'It is the server that the key is for.'],
] as const;

/** All of these must be set, or none. With only some of them, recordings would silently go to the data directory. */
const BUCKET = ['s3Endpoint', 's3Bucket', 's3AccessKeyId', 's3SecretAccessKey'] as const;

/** The value of `PATCHBAY_BACKUP_TO` that means the bucket rather than a directory. */
const BACKUP_BUCKET = 'bucket';
const HOUR_MS = 3_600_000;

/** Finds missing settings that other settings need. */
export const findMissing = (values: Values): string[] => {
  const missing = NEEDS.filter(([key, needed]) => values[key] && !values[needed]);
  const unset = BUCKET.filter((key) => values[key] === null).map((key) => settings[key].name);
  return [
    ...(values.backupTo === BACKUP_BUCKET && values.s3Bucket === null
      ? [`${settings.s3Bucket.name} must be set if ${settings.backupTo.name} is "${BACKUP_BUCKET}".`]
      : []),
    ...missing.map(([key, needed, why]) => `${settings[needed].name} must be set if ${settings[key].name} is. ${why}`),
    ...(unset.length === 0 || unset.length === BUCKET.length
      ? []
      : [`${unset.join(' and ')} must be set if the other bucket settings are. Set all of them, or none.`]),
  ];
};

/** Where and how often to make backups, and how many to keep. Null if none are scheduled. */
export const toBackupSchedule = ({ backupTo, backupHours, backupKeep, backupRecordings }: Values) =>
  backupTo === null
    ? null
    : {
        /** Null for the bucket. */
        directory: backupTo === BACKUP_BUCKET ? null : resolve(backupTo),
        everyMs: backupHours * HOUR_MS,
        keep: backupKeep,
        recordings: backupRecordings === 'on',
      };

/** The collector of spans, or null if it isn't set. */
export const toCollector = ({ otlpEndpoint, otlpHeaders, otelServiceName }: Values) =>
  otlpEndpoint === null
    ? null
    : {
        url: `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`,
        headers: otlpHeaders,
        serviceName: otelServiceName,
      };

const TRANSCRIPTIONS = '/v1/audio/transcriptions';

/** Completes the address of a transcription server: alone, or with only the version, it's that of its API. */
const toTranscriptionsUrl = (address: string): string => {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '' || path === '/v1') url.pathname = TRANSCRIPTIONS;
  return url.href;
};

/** The server that turns recordings into text, or null if it isn't set. */
export const toTranscriber = ({ transcribeUrl, transcribeKey, transcribeModel }: Values) =>
  transcribeUrl === null
    ? null
    : { url: toTranscriptionsUrl(transcribeUrl), key: transcribeKey, model: transcribeModel };

/** The bucket, or null if it isn't set. */
export const toBucket = ({ s3Endpoint, s3Bucket, s3Region, s3AccessKeyId, s3SecretAccessKey }: Values) =>
  s3Endpoint && s3Bucket && s3AccessKeyId && s3SecretAccessKey
    ? {
        endpoint: s3Endpoint,
        bucket: s3Bucket,
        region: s3Region,
        accessKeyId: s3AccessKeyId,
        secretAccessKey: s3SecretAccessKey,
      }
    : null;
