import { createHmac, createSecretKey } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalTags, type Secret } from '../../platform/index.ts';
import type { MessageSignature } from '../catalogue/provider-webhook.ts';

/** The length of an HMAC-SHA256 as text. */
const LENGTHS = { hex: 64, base64: 44 } as const;
const SECONDS = /^\d{1,11}$/;

const isRecent = (seconds: string, toleranceSeconds: number, now: number): boolean =>
  SECONDS.test(seconds) && Math.abs(Number(seconds) * 1_000 - now) <= toleranceSeconds * 1_000;

const textOf = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** Creates a check that a message is signed with one of the secrets, for this URL, and recently. */
export const createSignatureCheck = (
  { header, prefix = '', encoding, signed, timestamp }: MessageSignature,
  secrets: readonly Secret[],
  url: string,
) => {
  const keys = secrets.map((secret) => createSecretKey(secret.reveal(), 'utf8'));
  const parts = signed.split(/(\{(?:body|url|timestamp)\})/);

  return (headers: IncomingHttpHeaders, body: Buffer, now: number): boolean => {
    const told = textOf(headers, header);
    const seconds = timestamp ? textOf(headers, timestamp.header) : '';
    // These cheap checks come before the signature is computed.
    if (told.length !== prefix.length + LENGTHS[encoding]) return false;
    if (timestamp && !isRecent(seconds, timestamp.toleranceSeconds, now)) return false;
    const values: Readonly<Record<string, string | Buffer>> = {
      '{body}': body,
      '{url}': url,
      '{timestamp}': seconds,
    };
    const fits = keys.map((key) => {
      const hmac = createHmac('sha256', key);
      for (const part of parts) hmac.update(values[part] ?? part);
      return equalTags(told, `${prefix}${hmac.digest(encoding)}`);
    });
    return fits.includes(true);
  };
};

export type SignatureCheck = ReturnType<typeof createSignatureCheck>;
