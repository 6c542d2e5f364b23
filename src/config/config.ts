import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { changeKeptValues, randomSecret, readSettings } from '../platform/index.ts';
import { extendKeyRing, parseKeyRing } from '../vault/index.ts';
import { ConfigRefused } from './config-refused.ts';
import { findBucketProblems, findProductionProblems, isLoopbackOrigin, toBucket } from './config-rules.ts';
import { readClientSettings } from './provider-settings.ts';
import { settings } from './settings.ts';
import { readTelephonyApi } from './telephony-settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads text into settings, whole or not at all. */
export const readConfig = (values: Environment) => {
  const { read, problems } = readSettings(settings, values);
  if (problems.length > 0) throw new ConfigRefused(problems);
  const url = read.url ?? `http://localhost:${read.port}`;
  const publicAddress = !isLoopbackOrigin(url);
  const production = read.nodeEnv === 'production' || publicAddress;
  const config = {
    ...read,
    url,
    production,
    /** Production by its address alone, which is worth a line at the start. */
    productionByAddress: publicAddress && read.nodeEnv !== 'production',
    host: read.host ?? (production ? '0.0.0.0' : '127.0.0.1'),
    data: resolve(read.data),
    /** The ring was made here and is kept in the data directory, so that it can be added to. */
    keysKept: false,
    returnOrigins: read.returnOrigins ?? [],
    trustedProxies: read.trustedProxies ?? [],
    cronSecrets: read.cronSecrets ?? [],
    clientSettings: readClientSettings(values),
    telephonyApi: readTelephonyApi(values),
    /** How much of each thing a team can have. */
    limits: {
      members: read.maxMembers,
      tokens: read.maxTokens,
      sessions: read.maxSessions,
      accounts: read.maxTelephonyAccounts,
      numbers: read.maxNumbers,
    },
    /** Null: recordings are files in the data directory. */
    bucket: toBucket(read),
    /** Never in production. */
    sandbox: !production && read.sandbox === 'on',
  };
  const refused = production ? findProductionProblems(config) : [];
  if (config.smtpUrl && !config.mailFrom)
    refused.push('MAIL_FROM must be set if SMTP_URL is. It is the sender of all email.');
  if (config.authIssuer && !config.authAudience)
    refused.push('AUTH_AUDIENCE must be set if AUTH_ISSUER is. It is the audience that tokens must have.');
  if (config.authClientId && !config.authIssuer)
    refused.push('AUTH_ISSUER must be set if AUTH_CLIENT_ID is. It is the identity provider that people sign in with.');
  refused.push(...findBucketProblems(config));
  if (refused.length > 0) throw new ConfigRefused(refused);
  return config;
};

export type Config = Readonly<ReturnType<typeof readConfig>>;

const readEnvFile = (directory: string): Environment => {
  const file = join(directory, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
};

/** Outside production what is unset and secret is made once and kept in the data directory. Keys only for its own file. */
const keepMissingSecrets = (config: Config): Environment =>
  changeKeptValues(config.data, (kept) => {
    const makers: Record<string, () => string> = {
      ...(config.databaseUrl ? {} : { PATCHBAY_KEYS: () => extendKeyRing(undefined) }),
      CRON_SECRET: randomSecret,
      DEBUG_TOKEN: randomSecret,
      METRICS_TOKEN: randomSecret,
    };
    const missing = Object.entries(makers).filter(([name]) => kept[name] === undefined);
    return missing.length === 0
      ? kept
      : { ...kept, ...Object.fromEntries(missing.map(([name, make]) => [name, make()])) };
  });

const onlySet = (values: Environment): Environment =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value?.trim()));

/** The one reader of the environment: `.env`, over it the environment, under both what is kept in the data directory. */
export const loadConfig = (environment: Environment, directory: string): Config => {
  const values = { ...onlySet(readEnvFile(directory)), ...onlySet(environment) };
  const config = readConfig(values);
  if (config.production) return config;
  // Nor are keys that were made for the file of a data directory taken for a database that others share.
  if (config.databaseUrl && !config.keys)
    throw new ConfigRefused([
      'PATCHBAY_KEYS must be set if DATABASE_URL is. Keys are never generated for a shared database.',
    ]);
  const complete = readConfig({ ...keepMissingSecrets(config), ...values });
  return { ...complete, keysKept: values['PATCHBAY_KEYS'] === undefined };
};

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== null);

/** What the start-up log shows. A secret shows only that it is set. */
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
    .concat(Object.keys(config.clientSettings)),
});
