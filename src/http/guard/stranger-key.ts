import ipaddr from 'ipaddr.js';

const NETWORK_BYTES = 8;

/**
 * The key that distinguishes strangers: their IP address. For IPv6 it's the /64 network, because anyone with an IPv6
 * address usually has a whole /64.
 */
export const strangerKey = (address: string | undefined): string => {
  // If the connection is already gone, its IP address is unknown.
  if (address === undefined) return 'gone';
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4
    ? parsed.toString()
    : `${parsed.toByteArray().slice(0, NETWORK_BYTES).join('.')}/64`;
};
