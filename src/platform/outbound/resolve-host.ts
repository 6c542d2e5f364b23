import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { whenAborted } from '../running/when-aborted.ts';
import { isPublicAddress } from './is-public-address.ts';
import { OutboundFailed } from './outbound-failed.ts';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The system's own resolver, hosts file and all. */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * The addresses that may be dialed for this host. One private address among public ones refuses the name: no honest
 * service mixes them, and which of them a connection would use is then not for an attacker's name server to say.
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
