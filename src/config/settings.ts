import {
  addressRange,
  defaulted,
  listOf,
  oneOf,
  optional,
  origin,
  secretText,
  sender,
  text,
  wholeNumber,
} from '../platform/index.ts';
import {
  bucketName,
  collector,
  collectorHeaders,
  databaseUrl,
  issuer,
  keys,
  nativeScheme,
  regionName,
  smtpUrl,
  transcriptionServer,
  wordOf,
} from './setting-kinds.ts';

/** The minimum length of tokens that give access to a whole team, or to all teams. */
const STRONG_TOKEN_LEAST = 32;

/** Every setting, in the order of the documentation. */
export const settings = {
  nodeEnv: optional('NODE_ENV', text).about('`production` turns on the production rules.'),
  port: defaulted('PORT', wholeNumber(1, 65_535), '3000').about('The port to listen on.'),
  host: optional('HOST', text).about('The address to listen on. Default: `127.0.0.1`, or `0.0.0.0` in production.'),
  url: optional('PATCHBAY_URL', origin).about(
    'The public base address. Default: `http://localhost:<PORT>`. Any address that is not loopback turns on the production rules.',
  ),
  data: defaulted('PATCHBAY_DATA', text, './data').about('The data directory. Only one process can serve from it.'),
  databaseUrl: optional('DATABASE_URL', databaseUrl).about(
    'The PostgreSQL database. If unset: SQLite in the data directory. Of several hosts, the one that accepts writes is used. See [operations.md](operations.md#replicas).',
  ),
  databasePoolSize: defaulted('DATABASE_POOL_SIZE', wholeNumber(2, 200), '10').about(
    'How many PostgreSQL connections serve requests.',
  ),
  keys: optional('PATCHBAY_KEYS', keys).about(
    'The key ring. The first key encrypts, and any of them decrypts. Outside production, with SQLite, it is generated and kept in the data directory.',
  ),
  adminToken: optional('PATCHBAY_ADMIN_TOKEN', secretText(STRONG_TOKEN_LEAST)).about(
    "A bearer token for the first team's admin, for automation and initial setup.",
  ),
  operatorTokens: optional(
    'PATCHBAY_OPERATOR_TOKEN',
    listOf(secretText(STRONG_TOKEN_LEAST), 'tokens of at least 32 characters without spaces, separated by commas'),
  ).about(
    "Bearer token for your product's backend. It creates a team for each customer and acts in any of them. Takes a comma-separated list, so you can rotate it. If unset, nobody can do that. See [customers.md](customers.md).",
  ),
  brandName: optional('PATCHBAY_BRAND_NAME', text).about(
    "Your product's name, for the pages that your customers see. Default: Patchbay.",
  ),
  brandColor: optional('PATCHBAY_BRAND_COLOR', wordOf('a color like #0b5d4e', /^#[0-9a-f]{6}$/i)).about(
    'The color of buttons on those pages. In `.env`, put it in quotes.',
  ),
  brandLogo: optional(
    'PATCHBAY_BRAND_LOGO',
    wordOf('a .svg, .png, .jpg or .webp file', /\.(?:svg|png|jpe?g|webp)$/i),
  ).about('An image file for the top of those pages.'),
  adminEmail: defaulted('PATCHBAY_ADMIN_EMAIL', text, 'admin@localhost').about(
    'The email address of the first admin, used when an empty database gets its first team.',
  ),
  cronSecrets: optional('CRON_SECRET', listOf(secretText(1), 'secrets without spaces, separated by commas')).about(
    'Bearer token for the cron endpoints. Takes a comma-separated list, so you can rotate it.',
  ),
  debugToken: optional('DEBUG_TOKEN', secretText(1)).about('Bearer token for `GET /api/debug/db`.'),
  metricsToken: optional('METRICS_TOKEN', secretText(1)).about('Bearer token for `GET /metrics`.'),
  returnOrigins: optional(
    'PATCHBAY_RETURN_ORIGINS',
    listOf(origin, 'origins like https://app.example.com, separated by commas'),
  ).about(
    'Origins that people can be sent back to, and that can call the API from a browser (CORS, with credentials).',
  ),
  mcpRedirectSchemes: optional(
    'MCP_REDIRECT_SCHEMES',
    listOf(
      nativeScheme,
      'schemes of programs such as cursor, separated by commas, but not http, https, or one that runs code',
    ),
  ).about(
    "Schemes of programs on people's computers, besides https and http://localhost, that an agent can be sent back to ([agents.md](agents.md)).",
  ),
  trustedProxies: optional(
    'PATCHBAY_TRUSTED_PROXIES',
    listOf(addressRange, 'addresses or ranges like 10.0.0.0/8, separated by commas'),
  ).about('Proxies whose `X-Forwarded-For` is trusted, for rate limits and the audit log only.'),
  rateLimit: defaulted('PATCHBAY_RATE_LIMIT', wholeNumber(10, 10_000_000), '6000').about(
    'Requests per minute for each caller, and for each address without a credential. A team has three times as many. How many of them may come at once and be in progress follows from it.',
  ),
  operatorRateLimit: defaulted('PATCHBAY_OPERATOR_RATE_LIMIT', wholeNumber(10, 100_000_000), '60000').about(
    'Requests per minute with the operator token. A tenth of it is the limit for each team.',
  ),
  maxConnections: defaulted('PATCHBAY_MAX_CONNECTIONS', wholeNumber(16, 1_000_000), '10000').about(
    'How many connections can be open at once, up to half of the open files that the system allows. Beyond that, idle ones are closed.',
  ),
  maxMembers: defaulted('PATCHBAY_MAX_MEMBERS', wholeNumber(1, 100_000), '1000').about(
    "How many members a team can have. Your identity provider can add more, and users that the operator names don't count.",
  ),
  maxTokens: defaulted('PATCHBAY_MAX_TOKENS', wholeNumber(1, 10_000), '100').about(
    'How many access tokens a member can have at once.',
  ),
  maxSessions: defaulted('PATCHBAY_MAX_SESSIONS', wholeNumber(1, 10_000), '100').about(
    'How many sessions a member can have at once. Signing in again ends the oldest one.',
  ),
  maxConnectedAccounts: defaulted('PATCHBAY_MAX_CONNECTED_ACCOUNTS', wholeNumber(1, 10_000), '200').about(
    'How many connections to providers a team can have.',
  ),
  maxTelephonyAccounts: defaulted('PATCHBAY_MAX_TELEPHONY_ACCOUNTS', wholeNumber(1, 1_000), '50').about(
    'How many telephony accounts a team can have.',
  ),
  maxNumbers: defaulted('PATCHBAY_MAX_NUMBERS', wholeNumber(1, 10_000), '1000').about(
    'How many phone numbers a team can have.',
  ),
  maxPayloadMib: defaulted('PATCHBAY_MAX_PAYLOAD_MIB', wholeNumber(1, 1_000_000_000), '65536').about(
    "How many MiB a team's payloads (what its telephony providers sent) can take up. Beyond that, only their facts are kept.",
  ),
  maxPayloadMibPerDay: defaulted('PATCHBAY_MAX_PAYLOAD_MIB_PER_DAY', wholeNumber(1, 1_000_000_000), '2048').about(
    'How many MiB of that can come in one day (UTC).',
  ),
  maxRecordingMib: defaulted('PATCHBAY_MAX_RECORDING_MIB', wholeNumber(1, 1_000_000_000), '204800').about(
    "How many MiB a team's recordings can take up. Beyond that, new ones wait until there is room.",
  ),
  auditDays: defaulted('PATCHBAY_AUDIT_DAYS', wholeNumber(30, 36_500), '400').about(
    'How many days each team keeps its audit log.',
  ),
  maxAuditEntries: defaulted('PATCHBAY_MAX_AUDIT_ENTRIES', wholeNumber(1_000, 1_000_000_000), '1000000').about(
    'How many entries each team keeps in its audit log. Beyond that, entries are deleted every hour: first repeated ones, then the oldest.',
  ),
  authIssuer: optional('AUTH_ISSUER', issuer).about(
    'Your identity provider. Its tokens are accepted as bearer tokens.',
  ),
  authAudience: optional('AUTH_AUDIENCE', text).about('The audience its tokens must have.'),
  authTeamClaim: defaulted('AUTH_TEAM_CLAIM', text, 'team').about('The claim that names the team.'),
  authUserClaim: defaulted('AUTH_USER_CLAIM', text, 'sub').about('The claim that names the user.'),
  authRoleClaim: defaulted('AUTH_ROLE_CLAIM', text, 'role').about(
    'The claim that holds the role. Any value other than `admin` means `member`.',
  ),
  authClientId: optional('AUTH_CLIENT_ID', text).about(
    'The client ID for signing in to the pages. Register it with the redirect address `<PATCHBAY_URL>/sign-in/callback`. If unset, people sign in by link only.',
  ),
  authClientSecret: optional('AUTH_CLIENT_SECRET', secretText(1)).about(
    'The client secret. If unset: a public client, with PKCE only.',
  ),
  authScopes: defaulted('AUTH_SCOPES', text, 'openid email profile').about(
    'The scopes requested when someone signs in.',
  ),
  providersFile: optional('PATCHBAY_PROVIDERS', text).about(
    'A JSON file with your own providers, added to the built-in catalog. See [providers.md](providers.md).',
  ),
  verify: defaulted('PATCHBAY_VERIFY', oneOf(['on', 'off']), 'on').about(
    'Whether Patchbay verifies connections by itself: right after a connect, and once a day unless they were used. See [operations.md](operations.md#verification).',
  ),
  sandbox: defaulted('PATCHBAY_SANDBOX', oneOf(['on', 'off']), 'on').about(
    'A built-in provider for trying things out. Always off in production.',
  ),
  recordings: optional('PATCHBAY_RECORDINGS', text).about(
    'A directory for recordings. If several processes serve the same database, it must be the same for all of them, unless there is a bucket. Default: `recordings` in the data directory.',
  ),
  s3Endpoint: optional('S3_ENDPOINT', origin).about(
    'An S3-compatible store for recordings, like `https://s3.eu-central-1.amazonaws.com`. If unset: files in the data directory.',
  ),
  s3Bucket: optional('S3_BUCKET', bucketName).about('The bucket for recordings.'),
  s3Region: defaulted('S3_REGION', regionName, 'us-east-1').about('The region used to sign requests.'),
  s3AccessKeyId: optional('S3_ACCESS_KEY_ID', wordOf('an access key ID without spaces')).about(
    'The access key ID for the bucket.',
  ),
  s3SecretAccessKey: optional('S3_SECRET_ACCESS_KEY', secretText(1)).about('The secret access key.'),
  recordingsSealed: defaulted('RECORDINGS_SEALED', oneOf(['on', 'off']), 'off').about(
    "`on` encrypts new recordings with the team's key, both in files and in a bucket.",
  ),
  backupTo: optional('PATCHBAY_BACKUP_TO', text).about(
    'A directory for scheduled backups, or `bucket` to put them into the bucket above. If unset, none are made. See [operations.md](operations.md#scheduled-backups).',
  ),
  backupHours: defaulted('PATCHBAY_BACKUP_HOURS', wholeNumber(1, 168), '24').about('How many hours apart they are.'),
  backupKeep: defaulted('PATCHBAY_BACKUP_KEEP', wholeNumber(1, 1_000), '7').about(
    'How many of them to keep. Older ones are deleted after a new one is complete.',
  ),
  backupRecordings: defaulted('PATCHBAY_BACKUP_RECORDINGS', oneOf(['on', 'off']), 'off').about(
    '`on` includes the audio of recordings in them.',
  ),
  telephonyProvider: optional('TELEPHONY_PROVIDER', text).about(
    'With `TELEPHONY_SECRET`: adds a telephony account to the first team at startup. Use the API to add more.',
  ),
  telephonyAccountId: optional('TELEPHONY_ACCOUNT_ID', text).about("The account's ID at the provider."),
  telephonySecret: optional('TELEPHONY_SECRET', secretText(1)).about(
    'The secret that verifies its webhooks. If fetching recordings requires other credentials, set them as `TELEPHONY_API_*`. For example, `TELEPHONY_API_KEY_SID` is the field `keySid`.',
  ),
  transcribeUrl: optional('TRANSCRIBE_URL', transcriptionServer).about(
    'A server that turns recordings into text, for numbers that want it: one that speaks `POST /v1/audio/transcriptions`, such as whisper.cpp or OpenAI. If the address has no path, that one is added. See [telephony.md](telephony.md#transcripts).',
  ),
  transcribeKey: optional('TRANSCRIBE_KEY', secretText(1)).about('Its key, sent as a bearer token.'),
  transcribeModel: defaulted('TRANSCRIBE_MODEL', wordOf('the name of a model without spaces'), 'whisper-1').about(
    'The model to ask for. Servers with only one ignore it.',
  ),
  smtpUrl: optional('SMTP_URL', smtpUrl).about(
    'The mail server for weekly reports, alerts, sign-in links, and invitations. If unset, no email is sent.',
  ),
  mailFrom: optional('MAIL_FROM', sender).about('The sender of all email, like `Patchbay <patchbay@example.com>`.'),
  nangoKey: optional('NANGO_SECRET_KEY', secretText(1)).about(
    'An API key of Nango, for `import nango` only. See [nango.md](nango.md).',
  ),
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', collector).about(
    'An OpenTelemetry collector. Spans are sent to `/v1/traces` below it, as protobuf over HTTP. If unset, none are made. See [operations.md](operations.md#traces).',
  ),
  otlpHeaders: optional('OTEL_EXPORTER_OTLP_HEADERS', collectorHeaders).about(
    'Headers that the collector wants, such as a key.',
  ),
  otelServiceName: defaulted('OTEL_SERVICE_NAME', text, 'patchbay').about('The name of the service in the spans.'),
  logLevel: defaulted('LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']), 'info').about(
    'How much to log. `debug` includes every request.',
  ),
};
