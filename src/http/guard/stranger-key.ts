import ipaddr from 'ipaddr.js';

const NETWORK_BYTES = 8;

/** Strangers are told apart by address. Anyone with an IPv6 address has a whole /64 of them, so that counts as one. */
export const strangerKey = (address: string | undefined): string => {
  // If the connection is already gone, its address is unknown.
  if (address === undefined) return 'gone';
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4
    ? parsed.toString()
    : `${parsed.toByteArray().slice(0, NETWORK_BYTES).join('.')}/64`;
};
