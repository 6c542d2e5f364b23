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

/** Whoever can change the answer of an issuer can sign in as anybody, so plain http stays on this machine. */
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
  'the name of a bucket: 3 to 63 small letters, digits, dots and dashes',
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
);
const regionName = wordOf('a region like us-east-1', /^[a-z0-9-]{1,50}$/i);

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
  maxMembers: defaulted(
    { name: 'PATCHBAY_MAX_MEMBERS', about: 'Members that a team can have. The identity provider may add more.' },
    wholeNumber(1, 100_000),
    '1000',
  ),
  maxTokens: defaulted(
    { name: 'PATCHBAY_MAX_TOKENS', about: 'Access tokens that a member can have at once.' },
    wholeNumber(1, 10_000),
    '100',
  ),
  maxSessions: defaulted(
    {
      name: 'PATCHBAY_MAX_SESSIONS',
      about: 'Sessions that a member can have at once. Signing in once more ends the oldest.',
    },
    wholeNumber(1, 10_000),
    '100',
  ),
  maxTelephonyAccounts: defaulted(
    { name: 'PATCHBAY_MAX_TELEPHONY_ACCOUNTS', about: 'Telephony accounts that a team can have.' },
    wholeNumber(1, 1_000),
    '50',
  ),
  maxNumbers: defaulted(
    { name: 'PATCHBAY_MAX_NUMBERS', about: 'Phone numbers that a team can have.' },
    wholeNumber(1, 10_000),
    '1000',
  ),
  auditDays: defaulted(
    { name: 'PATCHBAY_AUDIT_DAYS', about: 'How many days the audit log is kept, in every team.' },
    wholeNumber(30, 36_500),
    '400',
  ),
  authIssuer: optional(
    { name: 'AUTH_ISSUER', about: "The operator's identity provider, whose tokens are accepted as bearer." },
    issuer,
  ),
  authAudience: optional({ name: 'AUTH_AUDIENCE', about: 'The audience that its tokens must name.' }, text),
  authTeamClaim: defaulted({ name: 'AUTH_TEAM_CLAIM', about: 'The claim that names the team.' }, text, 'team'),
  authUserClaim: defaulted({ name: 'AUTH_USER_CLAIM', about: 'The claim that names the user.' }, text, 'sub'),
  authRoleClaim: defaulted(
    { name: 'AUTH_ROLE_CLAIM', about: 'The claim that holds the role: `admin`, else `member`.' },
    text,
    'role',
  ),
  authClientId: optional(
    {
      name: 'AUTH_CLIENT_ID',
      about:
        'The client that people sign in to the pages with, registered there with the redirect address `<PATCHBAY_URL>/sign-in/callback`. Unset: by link alone.',
    },
    text,
  ),
  authClientSecret: optional(
    { name: 'AUTH_CLIENT_SECRET', about: 'Its secret. Unset: a public client, with PKCE alone.' },
    secretText(1),
  ),
  authScopes: defaulted(
    { name: 'AUTH_SCOPES', about: 'What is asked for when somebody signs in.' },
    text,
    'openid email profile',
  ),
  providersFile: optional(
    {
      name: 'PATCHBAY_PROVIDERS',
      about:
        'A JSON file with providers of your own, beside the built-in catalogue: [providers.md](providers.md) says how one is written.',
    },
    text,
  ),
  sandbox: defaulted(
    {
      name: 'PATCHBAY_SANDBOX',
      about: 'A provider to try everything with, in this very process. Never in production.',
    },
    oneOf(['on', 'off']),
    'on',
  ),
  s3Endpoint: optional(
    {
      name: 'S3_ENDPOINT',
      about:
        'A store that speaks S3, for the audio of recordings, like `https://s3.eu-central-1.amazonaws.com`. Unset: files in the data directory.',
    },
    origin,
  ),
  s3Bucket: optional({ name: 'S3_BUCKET', about: 'The bucket in it.' }, bucketName),
  s3Region: defaulted(
    { name: 'S3_REGION', about: 'The region that requests are signed for.' },
    regionName,
    'us-east-1',
  ),
  s3AccessKeyId: optional({ name: 'S3_ACCESS_KEY_ID', about: 'Who asks the store.' }, wordOf('an access key id')),
  s3SecretAccessKey: optional({ name: 'S3_SECRET_ACCESS_KEY', about: 'The secret of that key.' }, secretText(1)),
  recordingsSealed: defaulted(
    {
      name: 'RECORDINGS_SEALED',
      about: "`on`: audio that is archived from now on is sealed with the team's key, in files and in a bucket alike.",
    },
    oneOf(['on', 'off']),
    'off',
  ),
  telephonyProvider: optional(
    {
      name: 'TELEPHONY_PROVIDER',
      about:
        'With `TELEPHONY_SECRET`: a telephony account of the first team, made at the start. More of them through the API.',
    },
    text,
  ),
  telephonyAccountId: optional({ name: 'TELEPHONY_ACCOUNT_ID', about: "The provider's own id of that account." }, text),
  telephonySecret: optional(
    {
      name: 'TELEPHONY_SECRET',
      about:
        'What verifies its deliveries. What fetching recordings needs beside it is in `TELEPHONY_API_*`, as the provider has it: `TELEPHONY_API_KEY_SID` is the field `keySid`.',
    },
    secretText(1),
  ),
  smtpUrl: optional(
    {
      name: 'SMTP_URL',
      about: 'The mail server, for the weekly report and for sign-in links. Unset: nothing is mailed.',
    },
    {
      expected: 'an address like smtps://user:password@mail.example.com or smtp://localhost:25',
      secret: true,
      parse(value: string) {
        const { protocol = '', username = '', password = '' } = URL.parse(value) ?? {};
        // Said at the start, and not when the first mail is to leave.
        decodeURIComponent(`${username}:${password}`);
        return /^smtps?:$/.test(protocol) ? new Secret(value) : undefined;
      },
    },
  ),
  mailFrom: optional({ name: 'MAIL_FROM', about: 'Who mails are from: `Patchbay <patchbay@example.com>`.' }, sender),
  logLevel: defaulted(
    { name: 'LOG_LEVEL', about: 'How much is logged. `debug` shows every request.' },
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    'info',
  ),
};
