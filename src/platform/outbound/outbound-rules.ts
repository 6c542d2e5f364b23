import { OutboundFailed } from './outbound-failed.ts';
import { hostOf } from './parse-url.ts';
import { createDnsResolve, type DnsSettings } from './resolve-by-dns.ts';
import { type Resolve, resolveBySystem } from './resolve-host.ts';

/** How many interim responses to accept, such as 103 Early Hints. */
export const MOST_INTERIM = 5;
/** Up to this size, a chunk of a body is small: it costs as much work as a kilobyte. */
export const SMALL_BYTES = 64;

/** Refuses plain http, except outside production and for URLs that the operator set. */
export const checkScheme = (url: URL, exempt: boolean): void => {
  if (url.protocol === 'http:' && !exempt) throw new OutboundFailed('bad_url', hostOf(url), 'not https');
};

/** The resolvers for hosts that the operator set, and for all others. */
export const createResolvers = ({ resolve, ...dns }: DnsSettings & { resolve?: Resolve }) => ({
  trusted: resolve ?? resolveBySystem,
  others: resolve ?? createDnsResolve(dns),
});
