import { createHmac } from 'node:crypto';

/** What a provider knows when it sends a message: the secret, our URL, and the time. */
export type Signing = {
  secret: string;
  now: number;
  /** The URL that was registered at the provider. */
  url?: string;
  /** The type of the message, if a header says it. */
  type?: string;
  /** The ID of the message, if a header has it. */
  id?: string;
  /** Whose message it is, if a header says it. */
  account?: string;
};

export type Headers = Record<string, string>;
export type SignedMessage = { headers: Headers; body: string };
export type SignAs = (body: string, signing: Signing) => SignedMessage | Promise<SignedMessage>;

export const JSON_TYPE: Headers = { 'content-type': 'application/json' };
export const FORM_TYPE: Headers = { 'content-type': 'application/x-www-form-urlencoded' };
export const URL_OF_OURS = 'https://patchbay.example/api/webhooks/integrations/provider';

export const toSeconds = (now: number): string => String(Math.floor(now / 1_000));

/** Computes an HMAC-SHA256, as most providers do. */
export const hmac = (
  key: string | Buffer,
  signed: string,
  encoding: 'hex' | 'base64' = 'hex',
  hash: 'sha256' | 'sha1' = 'sha256',
): string => createHmac(hash, key).update(signed, 'utf8').digest(encoding);
