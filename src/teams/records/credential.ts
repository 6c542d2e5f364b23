import { createHmac } from 'node:crypto';
import { digestOf, equalSecrets, type NewId, randomSecret } from '../../platform/index.ts';

/** An ID to find the row by, and a secret. The row holds only the secret's digest. */
export type Credential = { id: string; secret: string };

const SHAPE = '([0-9a-f]{32})_([A-Za-z0-9_-]{43})';
const TOKEN = new RegExp(`^pb_${SHAPE}$`);
const CONNECT_SESSION = new RegExp(`^pbs_${SHAPE}$`);
const BARE = new RegExp(`^${SHAPE}$`);

/** Matches access tokens, and those of clients, anywhere in a text, so that the log can redact them. */
export const ACCESS_TOKEN_SHAPE = new RegExp(`${SHAPE}|pb[ar]_[A-Za-z0-9_-]{43}`, 'g');

const toRowId = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const parse = (shape: RegExp, text: string): Credential | null => {
  const [, hex, secret] = shape.exec(text) ?? [];
  return hex && secret ? { id: toRowId(hex), secret } : null;
};

export const makeCredential = (newId: NewId): Credential => ({ id: newId(), secret: randomSecret() });

/** Formats a credential for a session cookie or a sign-in link. */
export const formatCredential = ({ id, secret }: Credential): string => `${id.replaceAll('-', '')}_${secret}`;

export const parseCredential = (text: string): Credential | null => parse(BARE, text);

/** Formats a credential for `Authorization: Bearer`. */
export const formatAccessToken = (credential: Credential): string => `pb_${formatCredential(credential)}`;

export const parseAccessToken = (text: string): Credential | null => parse(TOKEN, text);

/** Formats a credential for the browser of a customer's user. */
export const formatConnectSession = (credential: Credential): string => `pbs_${formatCredential(credential)}`;

export const parseConnectSession = (text: string): Credential | null => parse(CONNECT_SESSION, text);

export const matchesDigest = ({ secret }: Credential, digest: string): boolean =>
  equalSecrets(digestOf(secret), digest);

/**
 * The CSRF token that a session's state-changing requests must send. Only a browser with the cookie or the page can
 * know it.
 */
export const csrfTokenOf = ({ secret }: Credential): string =>
  createHmac('sha256', secret).update('csrf').digest('base64url');
