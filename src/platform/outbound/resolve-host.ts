import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { whenAborted } from '../running/when-aborted.ts';
import { isPublicAddress } from './is-public-address.ts';
import { OutboundFailed } from './outbound-failed.ts';

/** Returns all addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * The system's resolver, including the hosts file. Only for names that the operator chose: each lookup holds one of the
 * four threads that files and database connections also need, for as long as the name server is silent.
 */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * The addresses that may be used for this host. If any of them is private, all are refused: no honest service mixes them,
 * and otherwise an attacker's name server could decide which one is used.
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
