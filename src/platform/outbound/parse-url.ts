import { OutboundFailed } from './outbound-failed.ts';

/** The host as resolvers and certificates write it: an IPv6 address without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/**
 * Parses the URL of a request. No other code does, so the host that is checked is the host that is used. The parser
 * turns `127.1`, `0x7f000001` and full-width digits into `127.0.0.1`, and an international name into its ASCII form.
 */
export const parseUrl = (text: string, base?: URL): URL => {
  const url = URL.parse(text, base?.href);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new OutboundFailed('bad_url', 'an unknown address', 'not http or https');
  if (url.username !== '' || url.password !== '')
    throw new OutboundFailed('bad_url', hostOf(url), 'credentials in the address');
  // `example.com.` is the same host in another spelling, which would match neither a list of hosts nor a certificate.
  if (url.hostname.endsWith('.')) throw new OutboundFailed('bad_url', hostOf(url), 'a dot at the end of the host');
  return url;
};
