import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../../../platform/index.ts';

/** How many hosts a request may name. Parsing as many as fit in its headers would keep everybody else waiting. */
const MOST_HOSTS = 20;

/** An IPv4 address inside an IPv6 address, as `URL` writes it. */
const MAPPED = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;

const toIpv4 = (hostname: string): string => {
  const [, high, low] = MAPPED.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
};

/** The host without a dot at the end. All names of this machine become `localhost`. */
const hostOf = ({ hostname }: URL): string => {
  const host = toIpv4(hostname).replace(/\.+$/, '');
  return isLoopbackHost(host) || host === '0.0.0.0' || host === '[::]' ? 'localhost' : host;
};

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** The hosts under which the caller reaches us, according to the request and to proxies in front of us. */
const listHosts = (headers: IncomingHttpHeaders): string[] => {
  const forwarded = [...String(headers['forwarded'] ?? '').matchAll(/\bhost\s*=\s*"?([^",;\s]+)/gi)];
  const named = [headers.host, headers['x-forwarded-host']].flatMap((value) => String(value ?? '').split(','));
  const all = [...named.map((host) => host.trim()), ...forwarded.map(([, host = '']) => host)];
  return [...new Set(all.filter((host) => host !== ''))];
};

/**
 * Checks whether a URL leads to Patchbay: to `PATCHBAY_URL`, or to the host that the request was sent to. Includes
 * other ports and schemes of these hosts, because some clients still send their token if only those change. Excludes
 * the origins of `known`, the provider's base URLs, which may be on the same machine at another port. If the request
 * names too many hosts, any URL may lead to Patchbay.
 */
export const createOwnCheck = (url: string, headers: IncomingHttpHeaders) => {
  const named = listHosts(headers);
  if (named.length > MOST_HOSTS) return (): boolean => true;
  const own = [url, ...named.flatMap((host) => [`http://${host}`, `https://${host}`])]
    .map((address) => URL.parse(address))
    .filter((address) => address !== null);
  const hosts = new Set(own.map(hostOf));
  const places = new Set(own.map((address) => `${hostOf(address)}:${portOf(address)}`));
  return (target: URL, known: readonly URL[]): boolean => {
    if (places.has(`${hostOf(target)}:${portOf(target)}`)) return true;
    return hosts.has(hostOf(target)) && !known.some(({ origin }) => origin === target.origin);
  };
};
