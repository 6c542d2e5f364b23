import { type Resolve, resolveHost } from './resolve-host.ts';

/** How long IP addresses are cached. DNS records of hosts that may move usually live this long. */
const FRESH_MS = 10_000;
const MOST_HOSTS = 1_000;

/** Resolves and checks the IP addresses of a host, and caches them for a moment. */
export const createAddressBook = (resolve: Resolve, anyAddress: boolean) => {
  let known = new Map<string, { addresses: readonly string[]; at: number }>();

  return async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
    const now = performance.now();
    const found = known.get(host);
    if (found && now - found.at < FRESH_MS) return found.addresses;
    const addresses = (await resolveHost({ resolve }, host, anyAddress, signal)).toSorted();
    if (known.size >= MOST_HOSTS) known = new Map();
    known.set(host, { addresses, at: now });
    return addresses;
  };
};
