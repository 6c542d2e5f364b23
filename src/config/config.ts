import { join, resolve } from 'node:path';
import {
  CommandRefused,
  changeKeptValues,
  hasDatabaseFile,
  isLoopbackHost,
  randomSecret,
  readKeptValues,
  readSettings,
  Secret,
} from '../platform/index.ts';
import { deriveSecret, extendKeyRing, parseKeyRing } from '../vault/index.ts';
import { ConfigRefused } from './config-refused.ts';
import {
  findMissing,
  findProductionProblems,
  toBackupSchedule,
  toBucket,
  toCollector,
  toTranscriber,
} from './config-rules.ts';
import { findUnknownNames, isSettingName } from './find-unknown-names.ts';
import { readEnvFile } from './read-env-file.ts';
import { readOpenSettings } from './read-open-settings.ts';
import { settings } from './settings.ts';

const MIB = 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/** Parses the settings. Every secret becomes a `Secret`, so that the log can strike it out. */
export const readConfig = (values: Environment, declared = settings) => {
  const { read, problems } = readSettings(declared, values);
  if (problems.length > 0) throw new ConfigRefused(problems);
  const url = read.url ?? `http://localhost:${read.port}`;
  const publicAddress = !isLoopbackHost(new URL(url).hostname);
  const production = read.nodeEnv === 'production' || publicAddress;
  const config = {
    ...read,
    url,
    production,
    /** True if it's production only because `PATCHBAY_URL` isn't a loopback URL. Logged at startup. */
    productionByAddress: publicAddress && read.nodeEnv !== 'production',
    host: read.host ?? (production ? '0.0.0.0' : '127.0.0.1'),
    data: resolve(read.data),
    recordings: resolve(read.recordings ?? join(read.data, 'recordings')),
    /** True if the operator has set a directory for recordings. All processes share that directory. */
    recordingsShared: read.recordings !== null,
    /** True if the key ring was generated and is stored in the data directory, where we can add keys to it. */
    keysKept: false,
    /** The names of the settings that were generated. */
    generatedNames: [] as readonly string[],
    returnOrigins: read.returnOrigins ?? [],
    trustedProxies: read.trustedProxies ?? [],
    cronSecrets: read.cronSecrets ?? [],
    operatorTokens: read.operatorTokens ?? [],
    ...readOpenSettings(values),
    /** Names that look like our settings, but aren't. Logged at startup. */
    unknownNames: findUnknownNames(values),
    /** Limits for each team. */
    limits: {
      members: read.maxMembers,
      tokens: read.maxTokens,
      sessions: read.maxSessions,
      auditEntries: read.maxAuditEntries,
      accounts: read.maxTelephonyAccounts,
      numbers: read.maxNumbers,
      payloadBytes: read.maxPayloadMib * MIB,
      payloadBytesPerDay: read.maxPayloadMibPerDay * MIB,
      recordingBytes: read.maxRecordingMib * MIB,
      connections: read.maxConnectedAccounts,
    },
    /** If null, recordings are files in the data directory. */
    bucket: toBucket(read),
    /** If null, no backups are scheduled. */
    backupSchedule: toBackupSchedule(read),
    /** If null, recordings can't be transcribed by a server of the operator. */
    transcriber: toTranscriber(read),
    /** If null, nothing is traced. */
    collector: toCollector(read),
    /** Whether the sandbox is on. It never is in production. */
    sandbox: !production && read.sandbox === 'on',
  };
  const refused = [...(production ? findProductionProblems(read) : []), ...findMissing(read)];
  if (refused.length > 0) throw new ConfigRefused(refused);
  return config;
};

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** What a command may create: a database, only secrets, or nothing at all. */
export type MayCreate = 'database' | 'secrets' | 'nothing';

const GENERATED = ['CRON_SECRET', 'DEBUG_TOKEN', 'METRICS_TOKEN', 'PATCHBAY_OPERATOR_TOKEN'] as const;

const generate = (make: (name: string) => string) => Object.fromEntries(GENERATED.map((name) => [name, make(name)]));

/** Generates missing secrets once and stores them in the data directory. */
const keepMissingSecrets = ({ data }: Config): Environment =>
  changeKeptValues(data, (kept) => {
    const made = { PATCHBAY_KEYS: extendKeyRing(undefined), ...generate(randomSecret) };
    return Object.keys(made).every((name) => name in kept) ? kept : { ...made, ...kept };
  });

/**
 * Generates missing secrets, outside production. With PostgreSQL, several processes need the same secrets, so the
 * secrets are derived from the keys.
 */
const generateMissing = (config: Config, mayCreate: MayCreate): Environment => {
  const { databaseUrl, keys, data } = config;
  if (!databaseUrl) return mayCreate === 'nothing' ? readKeptValues(data) : keepMissingSecrets(config);
  if (!keys)
    throw new ConfigRefused([
      'PATCHBAY_KEYS must be set if DATABASE_URL is. Keys are never generated for a shared database.',
    ]);
  return generate((name) => deriveSecret(keys, name));
};

const onlySet = (values: Environment): Environment =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value?.trim()));

const NO_DATABASE =
  'Run this with the settings of the service: in its directory, or with its PATCHBAY_DATA or DATABASE_URL. To create a new database, start the service.';

const readValues = (environment: Environment, directory: string): Environment => ({
  ...onlySet(readEnvFile(directory, (name) => isSettingName(name) || name.startsWith('OAUTH_'))),
  ...onlySet(environment),
});

/** Finds only the key ring, even if other settings are invalid. Null if there is none. Creates nothing. */
export const findKeys = (environment: Environment, directory: string): Secret | null => {
  const values = readValues(environment, directory);
  const { keys, data, databaseUrl } = settings;
  const { read, problems } = readSettings({ keys, data, databaseUrl }, values);
  if (problems.length > 0) throw new ConfigRefused(problems);
  const kept = read.databaseUrl ? undefined : readKeptValues(resolve(read.data))[keys.name];
  return read.keys ?? (kept === undefined ? null : new Secret(kept));
};

/**
 * Reads all settings. The environment wins over `.env`, which wins over what is stored in the data directory. If
 * `mayCreate` is `secrets`, a data directory without a database is refused.
 */
export const loadConfig = (
  environment: Environment,
  directory: string,
  { mayCreate }: { mayCreate: MayCreate } = { mayCreate: 'database' },
): Config => {
  const values = readValues(environment, directory);
  const config = readConfig(values);
  if (mayCreate === 'secrets' && !config.databaseUrl && !hasDatabaseFile(config.data))
    throw new CommandRefused(`There is no database in ${config.data}. ${NO_DATABASE}`);
  if (config.production) return config;
  const generated = generateMissing(config, mayCreate);
  const complete = readConfig({ ...generated, ...values });
  const generatedNames = Object.keys(generated).filter((name) => values[name] === undefined);
  return { ...complete, keysKept: values['PATCHBAY_KEYS'] === undefined, generatedNames };
};

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== null);

/** Summarizes the settings for the log at startup. Of secrets, it only shows which ones are set. */
export const summarizeConfig = (config: Config): Record<string, unknown> => ({
  url: config.url,
  listen: `${config.host}:${config.port}`,
  production: config.production,
  data: config.data,
  database: config.databaseUrl ? 'postgresql' : 'sqlite',
  keys: config.keys ? parseKeyRing(config.keys).ids : [],
  secretsSet: Object.entries(settings)
    .filter(([key, { secret }]) => secret && isSet(config[key as keyof typeof settings]))
    .map(([, { name }]) => name)
    .concat(
      ...[config.clientIds, config.clientSecrets, config.privateKeys, config.clientFields, config.webhookSecrets].map(
        (values) => Object.keys(values),
      ),
    ),
});
