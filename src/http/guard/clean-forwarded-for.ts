import { isIP } from 'node:net';
import type { Server } from '../contract/routes.ts';

/**
 * Removes the port, or the zone of an IPv6 address, which some proxies add. Undefined if the entry isn't an IP address.
 */
const toAddress = (entry: string): string | undefined => {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return isIP(bare) === 0 ? undefined : bare.replace(/%.*$/s, '');
};

/** How many entries to read, from the end, where each proxy adds one. Earlier entries came from an unknown sender. */
const MOST_HOPS = 20;
const MOST_CHARACTERS = 2_000;

/** Returns the last entries of the header. An entry that is cut off is left out. */
const lastEntries = (header: string): string[] => {
  const from = header.length > MOST_CHARACTERS ? header.indexOf(',', header.length - MOST_CHARACTERS) : 0;
  const entries = from < 0 ? [] : header.slice(from).split(',');
  return entries
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .slice(-MOST_HOPS);
};

/**
 * Turns the header into plain IP addresses. Drops an entry that isn't an IP address, and everything before it: the
 * proxy that added that entry is the last one we know.
 */
export const cleanForwardedFor = (header: string): string => {
  const addresses = lastEntries(header).map(toAddress);
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).join(', ');
};

/**
 * Cleans the header before `request.ip` is read. Otherwise, `request.ip` could include a port, and differ each time.
 */
export const useCleanForwardedFor = (server: Server): void => {
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const claimed = headers['x-forwarded-for'];
    if (claimed !== undefined) headers['x-forwarded-for'] = cleanForwardedFor(String(claimed));
    done();
  });
};
