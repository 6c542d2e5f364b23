import { createHmac, type KeyObject } from 'node:crypto';
import { type Delivery, headerOf } from '../../contract/delivery.ts';
import type { Fields } from '../../provider-parts/values.ts';
import { parseStrictly } from './strict-json.ts';

/** The token of a delivery, parsed but not yet verified. */
type Token = { signed: string; signature: string; claims: Fields };

const MOST_CHARACTERS = 4_096;
const BEARER = /^bearer +(\S+)$/i;
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

export const bearerOf = (delivery: Pick<Delivery, 'headers'>): string | null =>
  BEARER.exec(headerOf(delivery, 'authorization') ?? '')?.[1] ?? null;

/** Decodes a part of the token. Only the canonical encoding is accepted, not others that decode to the same bytes. */
const decode = (part: string): Fields | null => {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? parseStrictly(bytes) : null;
};

/**
 * Reads a token, only in the form that Vonage sends: HS256 and no critical extensions. Vonage's own library accepts
 * RS256, too (@vonage/jwt 1.14.0, November 2026). Then the secret could be a public key, and anyone could use that key
 * to sign with HS256.
 */
export const readToken = (delivery: Pick<Delivery, 'headers'>): Token | null => {
  const compact = bearerOf(delivery) ?? '';
  const [, head, body, signature] = (compact.length <= MOST_CHARACTERS && COMPACT.exec(compact)) || [];
  if (head === undefined || body === undefined || signature === undefined) return null;
  const header = decode(head);
  const claims = decode(body);
  if (!header || !claims || header['alg'] !== 'HS256' || 'crit' in header) return null;
  return { signed: `${head}.${body}`, signature, claims };
};

export const signToken = (key: KeyObject | string, signed: string): string =>
  createHmac('sha256', key).update(signed, 'utf8').digest('base64url');

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export const makeToken = (claims: Fields, secret: string): string => {
  const signed = `${encode({ typ: 'JWT', alg: 'HS256' })}.${encode(claims)}`;
  return `${signed}.${signToken(secret, signed)}`;
};
