import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The range of all public IPv6 addresses so far. Needed because `ipaddr.js` says `unicast` for everything that isn't in
 * its lists, including the IPv4-compatible `::7f00:1`.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The range in which a DNS64 network maps the IPv4 internet (RFC 6052). Such an address is public if the IPv4 address
 * in its last four bytes is.
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Looks public, but on Azure, every machine reaches the agent of its own host there. */
const AZURE_HOST_AGENT = '168.63.129.16';

const isPublicIPv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && address.toString() !== AZURE_HOST_AGENT;

const isPublicIPv6 = (address: ipaddr.IPv6): boolean => {
  if (address.match(NAT64)) return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast';
};

/** Whether an address, as written by the URL parser or resolver, is on the public internet. False if in doubt. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? isPublicIPv4(parsed) : isPublicIPv6(parsed);
};
