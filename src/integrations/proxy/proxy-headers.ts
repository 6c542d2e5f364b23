import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderList } from '../../platform/index.ts';
import { headerRefused } from './errors.ts';

/** Headers that belong to one network connection, and not to the message (RFC 9110, section 7.6.1). */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const NOT_SENT = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'traceparent',
  'tracestate',
  'x-real-ip',
]);
const NOT_SENT_FAMILIES = /^(?:x-forwarded-|patchbay-)/;

/** Headers that are refused, because the proxy can't pass on what they announce. */
const REFUSED = ['trailer', 'upgrade'] as const;

/** Makes names comparable. Some servers treat `X_Key` as `X-Key`. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** The names in a `Connection` header. */
export const tokensOf = (value: string | undefined): string[] =>
  (value ?? '').split(',').map((token) => token.trim().toLowerCase());

const toList = (raw: readonly string[]): HeaderList =>
  Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? '']);

export const checkRequestHeaders = (headers: IncomingHttpHeaders): void => {
  for (const name of REFUSED) if (headers[name] !== undefined) throw headerRefused(name);
};

/**
 * The headers that the provider gets, besides the credential's, which only the entry sets. The caller's other headers
 * override the entry's.
 */
export const toProviderHeaders = (
  { raw, headers }: { raw: readonly string[]; headers: IncomingHttpHeaders },
  entry: HeaderList,
  credential: HeaderList,
): HeaderList => {
  const secret = new Set(credential.map(([name]) => plainName(name)));
  const ofConnection = new Set(tokensOf(headers.connection).map(plainName));
  const own = toList(raw).filter(([given]) => {
    const name = plainName(given);
    const isDropped = NOT_SENT.has(name) || NOT_SENT_FAMILIES.test(name) || ofConnection.has(name);
    return !isDropped && !secret.has(name);
  });
  const sent = new Set(own.map(([name]) => name.toLowerCase()));
  const usual: HeaderList = [['user-agent', 'Patchbay'], ['accept-encoding', 'identity'], ...entry];
  const added = new Map(usual.map(([name, value]) => [name.toLowerCase(), value]));
  // A `Connection` header drops only what the caller sends, and nothing of the entry's.
  return [...own, ...[...added].filter(([name]) => !sent.has(name) && !secret.has(plainName(name)))];
};
