import {
  addressRange,
  defaulted,
  isLoopbackHost,
  listOf,
  oneOf,
  optional,
  origin,
  Secret,
  secretText,
  sender,
  text,
  wholeNumber,
} from '../platform/index.ts';
import { parseKeyRing } from '../vault/index.ts';

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

/** Anyone who can tamper with an issuer's responses can sign in as anyone, so plain http is for loopback hosts only. */
const issuer = {
  expected: 'the https address of an OpenID issuer (http only on a loopback host)',
  parse(value: string) {
    const { protocol = '', hostname = '' } = URL.parse(value) ?? {};
    return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)) ? value : undefined;
  },
};

const wordOf = (what: string, pattern = /^\S+$/) => ({
  expected: `${what} without spaces`,
  parse: (value: string) => (pattern.test(value) ? value : undefined),
});

const bucketName = wordOf(
  'a bucket name of 3 to 63 lowercase letters, digits, dots and dashes',
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
);
const regionName = wordOf('a region like us-east-1', /^[a-z0-9-]{1,50}$/i);

/** Every setting, in the order of the documentation. */
export const settings = {
  nodeEnv: optional({ name: 'NODE_ENV', about: '`production` turns on the production rules.' }, text),
  port: defaulted({ name: 'PORT', about: 'The port to listen on.' }, wholeNumber(1, 65_535), '3000'),
  host: optional(
    { name: 'HOST', about: 'The address to listen on. Default: `127.0.0.1`, or `0.0.0.0` in production.' },
    text,
  ),
  url: optional(
    {
      name: 'PATCHBAY_URL',
      about:
        'The public base address. Default: `http://localhost:<PORT>`. Any address that is not loopback turns on the production rules.',
    },
    origin,
  ),
  data: defaulted(
    { name: 'PATCHBAY_DATA', about: 'The data directory. Only one process can serve from it.' },
    text,
    './data',
  ),
  databaseUrl: optional(
    { name: 'DATABASE_URL', about: 'The PostgreSQL database. If unset: SQLite in the data directory.' },
    databaseUrl,
  ),
  databasePoolSize: defaulted(
    { name: 'DATABASE_POOL_SIZE', about: 'How many PostgreSQL connections serve requests.' },
    wholeNumber(2, 200),
    '10',
  ),
  keys: optional(
    {
      name: 'PATCHBAY_KEYS',
      about:
        'The key ring. The first key encrypts, and any of them decrypts. Outside production, with SQLite, it is generated and kept in the data directory.',
    },
    keys,
  ),
  adminToken: optional(
    {
      name: 'PATCHBAY_ADMIN_TOKEN',
      about: "A bearer token for the first team's admin, for automation and initial setup.",
    },
    secretText(ADMIN_TOKEN_LEAST),
  ),
  adminEmail: defaulted(
    {
      name: 'PATCHBAY_ADMIN_EMAIL',
      about: 'The email address of the first admin, used when an empty database gets its first team.',
    },
    text,
    'admin@localhost',
  ),
  cronSecrets: optional(
    {
      name: 'CRON_SECRET',
      about: 'Bearer token for the cron endpoints. Takes a comma-separated list, so you can rotate it.',
    },
    { ...listOf(secretText(1), 'secrets without spaces, separated by commas'), secret: true },
  ),
  debugToken: optional({ name: 'DEBUG_TOKEN', about: 'Bearer token for `GET /api/debug/db`.' }, secretText(1)),
  metricsToken: optional({ name: 'METRICS_TOKEN', about: 'Bearer token for `GET /metrics`.' }, secretText(1)),
  returnOrigins: optional(
    {
      name: 'PATCHBAY_RETURN_ORIGINS',
      about:
        'Origins that people can be sent back to, and that can call the API from a browser (CORS, with credentials).',
    },
    listOf(origin, 'origins like https://app.example.com, separated by commas'),
  ),
  trustedProxies: optional(
    {
      name: 'PATCHBAY_TRUSTED_PROXIES',
      about: 'Proxies whose `X-Forwarded-For` is trusted, for rate limits and the audit log only.',
    },
    listOf(addressRange, 'addresses or ranges like 10.0.0.0/8, separated by commas'),
  ),
  rateLimit: defaulted(
    { name: 'PATCHBAY_RATE_LIMIT', about: 'Requests per minute for each caller.' },
    wholeNumber(10, 10_000_000),
    '6000',
  ),
  maxMembers: defaulted(
    { name: 'PATCHBAY_MAX_MEMBERS', about: 'How many members a team can have. Your identity provider can add more.' },
    wholeNumber(1, 100_000),
    '1000',
  ),
  maxTokens: defaulted(
    { name: 'PATCHBAY_MAX_TOKENS', about: 'How many access tokens a member can have at once.' },
    wholeNumber(1, 10_000),
    '100',
  ),
  maxSessions: defaulted(
    {
      name: 'PATCHBAY_MAX_SESSIONS',
      about: 'How many sessions a member can have at once. Signing in again ends the oldest one.',
    },
    wholeNumber(1, 10_000),
    '100',
  ),
  maxTelephonyAccounts: defaulted(
    { name: 'PATCHBAY_MAX_TELEPHONY_ACCOUNTS', about: 'How many telephony accounts a team can have.' },
    wholeNumber(1, 1_000),
    '50',
  ),
  maxNumbers: defaulted(
    { name: 'PATCHBAY_MAX_NUMBERS', about: 'How many phone numbers a team can have.' },
    wholeNumber(1, 10_000),
    '1000',
  ),
  auditDays: defaulted(
    { name: 'PATCHBAY_AUDIT_DAYS', about: 'How many days each team keeps its audit log.' },
    wholeNumber(30, 36_500),
    '400',
  ),
  authIssuer: optional(
    { name: 'AUTH_ISSUER', about: 'Your identity provider. Its tokens are accepted as bearer tokens.' },
    issuer,
  ),
  authAudience: optional({ name: 'AUTH_AUDIENCE', about: 'The audience its tokens must have.' }, text),
  authTeamClaim: defaulted({ name: 'AUTH_TEAM_CLAIM', about: 'The claim that names the team.' }, text, 'team'),
  authUserClaim: defaulted({ name: 'AUTH_USER_CLAIM', about: 'The claim that names the user.' }, text, 'sub'),
  authRoleClaim: defaulted(
    { name: 'AUTH_ROLE_CLAIM', about: 'The claim that holds the role. Anything but `admin` is a `member`.' },
    text,
    'role',
  ),
  authClientId: optional(
    {
      name: 'AUTH_CLIENT_ID',
      about:
        'The client id for signing in to the pages. Register it with the redirect address `<PATCHBAY_URL>/sign-in/callback`. If unset, people sign in by link only.',
    },
    text,
  ),
  authClientSecret: optional(
    { name: 'AUTH_CLIENT_SECRET', about: 'The client secret. If unset: a public client, with PKCE only.' },
    secretText(1),
  ),
  authScopes: defaulted(
    { name: 'AUTH_SCOPES', about: 'The scopes requested when somebody signs in.' },
    text,
    'openid email profile',
  ),
  providersFile: optional(
    {
      name: 'PATCHBAY_PROVIDERS',
      about: 'A JSON file with your own providers, added to the built-in catalog. See [providers.md](providers.md).',
    },
    text,
  ),
  sandbox: defaulted(
    {
      name: 'PATCHBAY_SANDBOX',
      about: 'A built-in provider for trying things out. Always off in production.',
    },
    oneOf(['on', 'off']),
    'on',
  ),
  s3Endpoint: optional(
    {
      name: 'S3_ENDPOINT',
      about:
        'An S3-compatible store for recordings, like `https://s3.eu-central-1.amazonaws.com`. If unset: files in the data directory.',
    },
    origin,
  ),
  s3Bucket: optional({ name: 'S3_BUCKET', about: 'The bucket for recordings.' }, bucketName),
  s3Region: defaulted({ name: 'S3_REGION', about: 'The region used to sign requests.' }, regionName, 'us-east-1'),
  s3AccessKeyId: optional(
    { name: 'S3_ACCESS_KEY_ID', about: 'The access key id for the bucket.' },
    wordOf('an access key id'),
  ),
  s3SecretAccessKey: optional({ name: 'S3_SECRET_ACCESS_KEY', about: 'The secret access key.' }, secretText(1)),
  recordingsSealed: defaulted(
    {
      name: 'RECORDINGS_SEALED',
      about: "`on` encrypts new recordings with the team's key, both in files and in a bucket.",
    },
    oneOf(['on', 'off']),
    'off',
  ),
  telephonyProvider: optional(
    {
      name: 'TELEPHONY_PROVIDER',
      about: 'With `TELEPHONY_SECRET`: adds a telephony account to the first team at startup. Use the API to add more.',
    },
    text,
  ),
  telephonyAccountId: optional({ name: 'TELEPHONY_ACCOUNT_ID', about: "The account's id at the provider." }, text),
  telephonySecret: optional(
    {
      name: 'TELEPHONY_SECRET',
      about:
        'The secret that verifies its webhooks. If fetching recordings takes more credentials, set them as `TELEPHONY_API_*`. For example, `TELEPHONY_API_KEY_SID` is the field `keySid`.',
    },
    secretText(1),
  ),
  smtpUrl: optional(
    {
      name: 'SMTP_URL',
      about: 'The mail server for weekly reports, sign-in links, and invitations. If unset, no email is sent.',
    },
    {
      expected: 'an address like smtps://user:password@mail.example.com or smtp://localhost:25',
      secret: true,
      parse(value: string) {
        const { protocol = '', username = '', password = '' } = URL.parse(value) ?? {};
        // Checked at startup rather than when the first email is sent.
        decodeURIComponent(`${username}:${password}`);
        return /^smtps?:$/.test(protocol) ? new Secret(value) : undefined;
      },
    },
  ),
  mailFrom: optional(
    { name: 'MAIL_FROM', about: 'The sender of all email, like `Patchbay <patchbay@example.com>`.' },
    sender,
  ),
  logLevel: defaulted(
    { name: 'LOG_LEVEL', about: 'How much to log. `debug` includes every request.' },
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    'info',
  ),
};
