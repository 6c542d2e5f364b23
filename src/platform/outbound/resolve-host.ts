import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { whenAborted } from '../running/when-aborted.ts';
import { isPublicAddress } from './is-public-address.ts';
import { OutboundFailed } from './outbound-failed.ts';

/** Returns all IP addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Uses the system's resolver, including the hosts file. Only for names that the operator chose: while the name server
 * is silent, a lookup holds one of the four threads that files and database connections also need.
 */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Returns the IP addresses of a host. If any of them is private, the host is refused: no honest service mixes private
 * and public addresses, and an attacker's name server could decide which one is used.
 */
export const resolveHost = async (
  { resolve }: { resolve: Resolve },
  host: string,
  anyAddress: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  signal.throwIfAborted();
  const addresses = isIP(host) === 0 ? await Promise.race([resolve(host), whenAborted(signal)]) : [host];
  const refused = addresses.length === 0 || (!anyAddress && !addresses.every(isPublicAddress));
  if (refused) throw new OutboundFailed('refused_address', host);
  return addresses;
};
