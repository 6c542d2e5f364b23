import { Resolver } from 'node:dns/promises';
import { isLoopbackHost } from '../is-loopback-host.ts';
import type { Resolve } from './resolve-host.ts';

/** How long each of two tries may take, so that a lookup ends after four seconds. */
const NAME_SERVER_MS = 2_000;
const TRIES = 2;
const REMEMBER_FAILURE_MS = 2_000;
const LOOPBACK = ['127.0.0.1', '::1'];

export type DnsSettings = {
  /** Default: the system's name servers. */
  nameServers?: readonly string[];
  /** How long each try may take. */
  nameServerMs?: number;
};

/**
 * Resolves names that anyone may choose. It asks the name servers over its own sockets, so that a silent name server
 * delays nothing else. Requests for the same name share one lookup, and a failed lookup is cached for a moment.
 */
export const createDnsResolve = ({ nameServers, nameServerMs = NAME_SERVER_MS }: DnsSettings): Resolve => {
  const patience = { timeout: nameServerMs, maxTimeout: nameServerMs, tries: TRIES };
  const lookups = new Map<string, Promise<readonly string[]>>();

  const ask = async (host: string): Promise<readonly string[]> => {
    // Each lookup has a new resolver, because a resolver reads the system's name servers only once.
    const resolver = new Resolver(patience);
    if (nameServers) resolver.setServers(nameServers);
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const failed = families.find((family) => family.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  };

  return async (host) => {
    if (isLoopbackHost(host)) return LOOPBACK;
    const known = lookups.get(host);
    if (known) return known;
    const lookup = ask(host);
    lookups.set(host, lookup);
    const forget = () => lookups.delete(host);
    lookup.then(forget, () => setTimeout(forget, REMEMBER_FAILURE_MS).unref());
    return lookup;
  };
};
