import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * All of IPv6 that has ever been given out for the public. `ipaddr.js` calls unicast whatever stands in none of its
 * lists, and so the IPv4-compatible `::7f00:1` too.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Where a DNS64 network puts the IPv4 internet (RFC 6052): as public as the address in its last four bytes. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Public by its number, but on Azure every machine finds the agent of its own host there. */
const AZURE_HOST_AGENT = '168.63.129.16';

const isPublicIPv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && address.toString() !== AZURE_HOST_AGENT;

const isPublicIPv6 = (address: ipaddr.IPv6): boolean => {
  if (address.match(NAT64)) return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast';
};

/** Whether an address, as the URL parser or the resolver writes it, is out on the internet. Whatever is not known to be is not. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? isPublicIPv4(parsed) : isPublicIPv6(parsed);
};
