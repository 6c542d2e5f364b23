import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { OutboundFailed } from './outbound-failed.ts';
import { hostOf, parseUrl } from './parse-url.ts';

/** What a request carries: in memory, or as a stream of exactly so many bytes. */
export type RequestBody = string | Uint8Array | StreamedBody;

/** Whatever becomes of the request, the stream is ended with it. */
export type StreamedBody = { readonly stream: Readable; readonly bytes: number };

/** One request of a chain: the first is the caller's, the others are made of redirects. */
export type Hop = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
  /** The operator has set this address, so it may be private. */
  readonly trusted: boolean;
};

/** How many redirects are followed, and to which hosts. */
export type RedirectRule = { most: number; hosts: (host: string) => boolean };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A list of what may travel on rather than of what may not: a key can be in any header. */
const CARRIED = new Set(['accept', 'accept-language', 'range', 'user-agent']);

const locationOf = ({ statusCode, headers }: IncomingMessage): string | undefined =>
  REDIRECTS.has(statusCode ?? 0) ? headers.location : undefined;

/**
 * The hop that this answer asks for, if it is a redirect: always a GET, without body and credentials, also on the same
 * host. `followed` says how many there were before.
 */
export const followRedirect = (
  hop: Hop,
  answer: IncomingMessage,
  rule: RedirectRule,
  followed: number,
): Hop | undefined => {
  const location = locationOf(answer);
  if (location === undefined) return undefined;
  const url = parseUrl(location, hop.url);
  const host = hostOf(url);
  if (followed === rule.most) throw new OutboundFailed('redirect_refused', host, 'too many redirects');
  if (!rule.hosts(host)) throw new OutboundFailed('redirect_refused', host, 'the host is not allowed');
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw new OutboundFailed('redirect_refused', host, 'from https to http');
  return {
    url,
    method: 'GET',
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => CARRIED.has(name))),
    body: undefined,
    // The operator has named a place, not every place that it points to.
    trusted: hop.trusted && url.origin === hop.url.origin,
  };
};
