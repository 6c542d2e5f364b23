import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { findProductionProblems, isLoopbackOrigin } from './config-rules.ts';
import {
  addressRange,
  changeKeptValues,
  defaulted,
  listOf,
  oneOf,
  optional,
  origin,
  randomSecret,
  readSettings,
  Secret,
  secretText,
  text,
  wholeNumber,
} from './platform/index.ts';
import { extendKeyRing, parseKeyRing } from './vault/index.ts';

const ADMIN_TOKEN_LEAST = 32;

const keys = {
  expected: 'a list like k2:<base64 of 32 bytes>,k1:<base64 of 32 bytes>',
  secret: true,
  parse(value: string) {
    const ring = new Secret(value);
    parseKeyRing(ring);
    return ring;
  },
};

const databaseUrl = {
  expected: 'an address like postgresql://user:password@host:5432/database',
  secret: true,
  parse: (value: string) =>
    /^postgres(?:ql)?:$/.test(URL.parse(value)?.protocol ?? '') ? new Secret(value) : undefined,
};

/** Every setting, in the order of the documentation. */
export const settings = {
  nodeEnv: optional({ name: 'NODE_ENV', about: '`production` switches the production rules on.' }, text),
  port: defaulted({ name: 'PORT', about: 'The port to listen on.' }, wholeNumber(1, 65_535), '3000'),
  host: optional(
    { name: 'HOST', about: 'The address to listen on. Default: `127.0.0.1`, in production `0.0.0.0`.' },
    text,
  ),
  url: optional(
    {
      name: 'PATCHBAY_URL',
      about:
        'The public base address. Default: `http://localhost:<PORT>`. One that is not loopback switches the production rules on.',
    },
    origin,
  ),
  data: defaulted({ name: 'PATCHBAY_DATA', about: 'The data directory. One serving process each.' }, text, './data'),
  databaseUrl: optional(
    { name: 'DATABASE_URL', about: 'PostgreSQL. Unset: SQLite in the data directory.' },
    databaseUrl,
  ),
  databasePoolSize: defaulted(
    { name: 'DATABASE_POOL_SIZE', about: 'Connections to PostgreSQL for requests.' },
    wholeNumber(2, 200),
    '10',
  ),
  keys: optional(
    {
      name: 'PATCHBAY_KEYS',
      about:
        'The key ring. The first key seals, all of them open. Made and kept in the data directory where it may be.',
    },
    keys,
  ),
  adminToken: optional(
    {
      name: 'PATCHBAY_ADMIN_TOKEN',
      about: "A bearer token of the first team's admin, for automation and first set-up.",
    },
    secretText(ADMIN_TOKEN_LEAST),
  ),
  adminEmail: defaulted(
    { name: 'PATCHBAY_ADMIN_EMAIL', about: 'The first admin, when an empty database gets its first team.' },
    text,
    'admin@localhost',
  ),
  cronSecrets: optional(
    { name: 'CRON_SECRET', about: 'Bearer for the cron endpoints. A comma-separated list, for rotation.' },
    { ...listOf(secretText(1), 'secrets without spaces, separated by commas'), secret: true },
  ),
  debugToken: optional({ name: 'DEBUG_TOKEN', about: 'Bearer for `GET /api/debug/db`.' }, secretText(1)),
  metricsToken: optional({ name: 'METRICS_TOKEN', about: 'Bearer for `GET /metrics`.' }, secretText(1)),
  returnOrigins: optional(
    {
      name: 'PATCHBAY_RETURN_ORIGINS',
      about: 'Origins that may be returned to and that may call the API from a browser (CORS, with credentials).',
    },
    listOf(origin, 'origins like https://app.example.com, separated by commas'),
  ),
  trustedProxies: optional(
    {
      name: 'PATCHBAY_TRUSTED_PROXIES',
      about: 'Proxies whose `X-Forwarded-For` is believed, for limits and audit alone.',
    },
    listOf(addressRange, 'addresses or ranges like 10.0.0.0/8, separated by commas'),
  ),
  rateLimit: defaulted(
    { name: 'PATCHBAY_RATE_LIMIT', about: 'Requests a minute for each caller.' },
    wholeNumber(10, 10_000_000),
    '6000',
  ),
  authIssuer: optional(
    { name: 'AUTH_ISSUER', about: "The operator's identity provider, whose tokens are accepted as bearer." },
    {
      expected: 'the https address of an OpenID issuer',
      parse: (value: string) => (/^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined),
    },
  ),
  authAudience: optional({ name: 'AUTH_AUDIENCE', about: 'The audience that its tokens must name.' }, text),
  authTeamClaim: defaulted({ name: 'AUTH_TEAM_CLAIM', about: 'The claim that names the team.' }, text, 'team'),
  authUserClaim: defaulted({ name: 'AUTH_USER_CLAIM', about: 'The claim that names the user.' }, text, 'sub'),
  authRoleClaim: defaulted(
    { name: 'AUTH_ROLE_CLAIM', about: 'The claim that holds the role: `admin`, else `member`.' },
    text,
    'role',
  ),
  logLevel: defaulted(
    { name: 'LOG_LEVEL', about: 'How much is logged. `debug` shows every request.' },
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    'info',
  ),
};

/** The settings cannot be used. Each line names one and says what is expected. */
export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

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
  };
  const refused = production ? findProductionProblems(config) : [];
  if (config.authIssuer && !config.authAudience)
    refused.push('AUTH_AUDIENCE must be set where AUTH_ISSUER is: it is the audience that tokens must name.');
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

/** The one reader of the environment: `.env`, over it the environment, under both what is kept in the data directory. */
export const loadConfig = (environment: Environment, directory: string): Config => {
  const set = Object.entries({ ...readEnvFile(directory), ...environment }).filter(([, value]) => value?.trim());
  const values = Object.fromEntries(set);
  const config = readConfig(values);
  if (config.production) return config;
  const complete = readConfig({ ...keepMissingSecrets(config), ...values });
  if (!complete.keys)
    throw new ConfigRefused([
      'PATCHBAY_KEYS must be set where DATABASE_URL is: keys are never made for a shared database.',
    ]);
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
    .map(([, { name }]) => name),
});
