import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { OutboundFailed } from './outbound-failed.ts';
import { hostOf, parseUrl } from './parse-url.ts';

/** The body of a request, in memory or as a stream. */
export type RequestBody = string | Uint8Array | StreamedBody;

/** A body of exactly `bytes` bytes. The stream is closed when the request ends, successful or not. */
export type StreamedBody = { readonly stream: Readable; readonly bytes: number };

/** One request in a chain: the first is the caller's, the others follow redirects. */
export type Hop = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
  /** True if the operator set this URL, so its host may be private. */
  readonly trusted: boolean;
};

/** How many redirects to follow, and to which hosts. */
export type RedirectRule = { most: number; hosts: (host: string) => boolean };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The headers that a redirect keeps. A list of headers to drop would be unsafe, because any header can contain a key.
 */
const CARRIED = new Set(['accept', 'accept-language', 'range', 'user-agent']);

/**
 * Returns the next hop if this response is a redirect. A next hop is always a GET without body or credentials, even on
 * the same host. `followed` is the number of redirects before this one.
 */
export const followRedirect = (
  hop: Hop,
  response: IncomingMessage,
  rule: RedirectRule,
  followed: number,
): Hop | undefined => {
  const { statusCode = 0, headers } = response;
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return undefined;
  const url = parseUrl(headers.location, hop.url);
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
    // The operator trusts this origin, but not every URL that it redirects to.
    trusted: hop.trusted && url.origin === hop.url.origin,
  };
};
