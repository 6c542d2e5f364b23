import { isLoopbackHost, parseCollectorHeaders, readPostgresqlAddress, Secret } from '../platform/index.ts';
import { parseKeyRing } from '../vault/index.ts';

export const keys = {
  expected: 'a list like k2:<base64 of 32 bytes>,k1:<base64 of 32 bytes>',
  secret: true,
  parse(value: string) {
    const ring = new Secret(
      value,
      value.split(',').map((key) => key.replace(/^[^:]*:/, '').trim()),
    );
    parseKeyRing(ring);
    return ring;
  },
};

const secretOf = (value: string, url = value): Secret => {
  const { username, password } = new URL(url);
  // Throws if the encoding is wrong, so that this is noticed at startup rather than at the first connection.
  decodeURIComponent(`${username}:${password}`);
  return new Secret(value, [password]);
};

const secretUrl = (example: string, protocol: RegExp) => ({
  expected: `an address like ${example}`,
  secret: true,
  parse(value: string) {
    return protocol.test(URL.parse(value)?.protocol ?? '') ? secretOf(value) : undefined;
  },
});

export const databaseUrl = {
  expected: 'an address like postgresql://user:password@host:5432/database, with further hosts after commas',
  secret: true,
  parse(value: string) {
    const address = readPostgresqlAddress(value);
    return address && secretOf(value, address.url);
  },
};

/** Parses the URL of a PostgreSQL database. Null if the value isn't one. */
export const parseDatabaseUrl = (value: string): Secret | null => {
  try {
    return databaseUrl.parse(value) ?? null;
  } catch {
    return null;
  }
};

export const smtpUrl = secretUrl('smtps://user:password@mail.example.com or smtp://localhost:25', /^smtps?:$/);

/** Anyone who can tamper with an issuer's responses can sign in as anyone, so plain http is for loopback hosts only. */
export const issuer = {
  expected: 'the https address of an OpenID issuer (http only on a loopback host)',
  parse(value: string) {
    const { protocol = '', hostname = '' } = URL.parse(value) ?? {};
    return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)) ? value : undefined;
  },
};

/** The address of a server that the operator runs. It has no secret in it. */
const addressLike = (example: string) => ({
  expected: `an http or https address like ${example}, without credentials and query`,
  parse(value: string) {
    const { protocol = '', username = '', password = '', search = '', hash = '' } = URL.parse(value) ?? {};
    return /^https?:$/.test(protocol) && username + password + search + hash === '' ? value : undefined;
  },
});

/** The address of an OpenTelemetry collector. Its secrets are in the headers. */
export const collector = addressLike('http://localhost:4318');

export const transcriptionServer = addressLike('http://localhost:8080');

export const collectorHeaders = {
  expected: 'a list like api-key=secret,x-other=1, with percent-encoding in the values',
  secret: true,
  parse(value: string) {
    const headers = parseCollectorHeaders(value);
    const encoded = value.split(',').map((header) => header.slice(header.indexOf('=') + 1).trim());
    return headers ? new Secret(value, [...encoded, ...Object.values(headers)]) : undefined;
  },
};

export const wordOf = (expected: string, pattern = /^\S+$/) => ({
  expected,
  parse: (value: string) => (pattern.test(value) ? value : undefined),
});

export const bucketName = wordOf(
  'a bucket name of 3 to 63 lowercase letters, digits, dots, and dashes',
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
);

export const regionName = wordOf('a region like us-east-1', /^[a-z0-9-]{1,50}$/i);

/** Schemes that run code or read files where they are opened, or lead to another computer. */
const NEVER_NATIVE: ReadonlySet<string> = new Set(
  'about blob data file ftp http https javascript vbscript view-source ws wss'.split(' '),
);

/** The scheme of a program on a person's computer, such as `cursor`. */
export const nativeScheme = {
  expected: 'a scheme like cursor',
  parse: (value: string) => (/^[a-z][a-z0-9+.-]{1,60}$/.test(value) && !NEVER_NATIVE.has(value) ? value : undefined),
};
