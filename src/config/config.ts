import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { changeKeptValues, isLoopbackHost, randomSecret, readSettings } from '../platform/index.ts';
import { extendKeyRing, parseKeyRing } from '../vault/index.ts';
import { ConfigRefused } from './config-refused.ts';
import { findMissing, findProductionProblems, toBucket } from './config-rules.ts';
import { readOpenSettings } from './read-open-settings.ts';
import { settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads text into settings, whole or not at all. Every secret in it stays a `Secret`, by which the log knows it. */
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
    /** Production by its address alone, which is worth a line at the start. */
    productionByAddress: publicAddress && read.nodeEnv !== 'production',
    host: read.host ?? (production ? '0.0.0.0' : '127.0.0.1'),
    data: resolve(read.data),
    /** The ring was made here and is kept in the data directory, so that it can be added to. */
    keysKept: false,
    returnOrigins: read.returnOrigins ?? [],
    trustedProxies: read.trustedProxies ?? [],
    cronSecrets: read.cronSecrets ?? [],
    ...readOpenSettings(values),
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
  const refused = [...(production ? findProductionProblems(read) : []), ...findMissing(read)];
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
    .concat(Object.keys(config.clientIds), Object.keys(config.clientSecrets)),
});
