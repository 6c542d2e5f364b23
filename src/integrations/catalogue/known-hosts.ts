import { oncePer } from '../../platform/index.ts';
import type { KeyRecord } from './key-record.ts';
import { expandAddress, hostPartOf, placeholdersIn, type Values, withDefaults } from './placeholders.ts';
import type { FullRecord } from './provider.ts';

/** The host as it appears in outgoing requests: without brackets around an IPv6 address. */
export const plainHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const oauthAddressesOf = ({ authorize, token, refresh, revoke, identity, sites }: FullRecord) => [
  ...[authorize.url, token.url, token.upgrade?.url, refresh?.url, revoke?.url, identity?.url, sites?.url],
];

const addressesOf = (record: FullRecord | KeyRecord): string[] => {
  const { api } = record;
  const ofTokens = 'authorize' in record ? oauthAddressesOf(record) : 'token' in record ? [record.token.url] : [];
  return [...ofTokens, api?.url, ...Object.values(api?.hosts ?? {})].filter((address) => address !== undefined);
};

/** Whether the host contains a placeholder. */
export const hasOpenHost = (address: string): boolean => /^(?:https?:\/\/)?[^/?#]*\{/.test(address);

/** The hosts of the entry's URLs, except hosts with a placeholder. */
export const fixedHostsOf = (record: FullRecord | KeyRecord): string[] =>
  addressesOf(record)
    .map((address) => (hasOpenHost(address) ? null : URL.parse(address)))
    .filter((url) => url !== null)
    .map(plainHost);

/** The domains whose hosts may get credentials: the entry's `domains`, or else its fixed hosts. */
export const domainsOf = oncePer((record: FullRecord | KeyRecord) => record.domains ?? fixedHostsOf(record));

export const isUnder = (domains: readonly string[], host: string): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/**
 * The URLs that may get the secret and tokens of a team's own client, besides the entry's domains: the entry's URLs,
 * filled in with the params that the client was set up with.
 */
const namedPlacesOf = (record: FullRecord, given: Values): URL[] => {
  if (Object.keys(given).length === 0) return [];
  const values = withDefaults(given, { params: record.params });
  return addressesOf(record)
    .map(hostPartOf)
    .filter((address) => placeholdersIn(address).every((name) => Object.hasOwn(values, name)))
    .map((address) => expandAddress(address, values));
};

const isBelow = (path: string, base: string): boolean => base === '/' || path === base || path.startsWith(`${base}/`);

/**
 * Checks whether a client's secret and tokens may be sent to a URL. The entry's own domains are always allowed. For a
 * team's own client, so are the host, port and path that an admin set it up with.
 */
export const createPlaceCheck = (record: FullRecord, given: Values): ((url: URL) => boolean) => {
  const domains = domainsOf(record);
  const named = namedPlacesOf(record, given);
  return (url) =>
    isUnder(domains, plainHost(url)) ||
    named.some(({ host, pathname }) => host === url.host && isBelow(url.pathname, pathname));
};

/**
 * Whether a `base` param points outside the entry's domains, and differs from the one that the team's own client was
 * set up with.
 */
export const hasOtherBase = (record: FullRecord, given: Values, values: Values): boolean =>
  Object.entries(record.params ?? {}).some(([name, { base }]) => {
    const value = values[name];
    if (!base || value === undefined || value === given[name]) return false;
    return !isUnder(domainsOf(record), plainHost(new URL(`https://${value}`)));
  });
