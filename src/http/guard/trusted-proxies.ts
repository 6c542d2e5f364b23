import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

const parseRange = (text: string): Range => {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.toByteArray().length * 8];
};

/** Checks whether a connection comes from one of the proxies in this list of IP addresses and ranges. */
export const createTrustedProxies = (trustedProxies: readonly string[]) => {
  const ranges = trustedProxies.map(parseRange);
  return (address: string | undefined): boolean =>
    address !== undefined &&
    ipaddr.isValid(address) &&
    ipaddr.subnetMatch(ipaddr.process(address), { trusted: ranges }, 'other') === 'trusted';
};

export type TrustedProxies = ReturnType<typeof createTrustedProxies>;
