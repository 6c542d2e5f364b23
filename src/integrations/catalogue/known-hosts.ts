import { oncePer } from '../../platform/index.ts';
import type { KeyRecord } from './key-record.ts';
import { expandAddress, placeholdersIn, type Values } from './placeholders.ts';
import type { FullRecord } from './provider.ts';

/** Without the brackets of an IPv6 address, as in outgoing requests. */
export const plainHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const oauthAddressesOf = ({ authorize, token, refresh, revoke, identity }: FullRecord) => [
  ...[authorize.url, token.url, token.upgrade?.url, refresh?.url, revoke?.url, identity?.url],
];

const addressesOf = (record: FullRecord | KeyRecord): string[] => {
  const { api } = record;
  const ofOauth = 'authorize' in record ? oauthAddressesOf(record) : [];
  return [...ofOauth, api?.url, ...Object.values(api?.hosts ?? {})].filter((address) => address !== undefined);
};

/** The hosts of the URLs without placeholders. */
export const fixedHostsOf = (record: FullRecord | KeyRecord): string[] =>
  addressesOf(record)
    .map((address) => (address.includes('{') ? null : URL.parse(address)))
    .filter((url) => url !== null)
    .map(plainHost);

/** The domains whose hosts may get credentials: those the entry names, or else its fixed hosts. */
export const domainsOf = oncePer((record: FullRecord | KeyRecord) => record.domains ?? fixedHostsOf(record));

export const isUnder = (domains: readonly string[], host: string): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** Where else a team's own client may be sent: the hosts named by the params that it was set with. */
export const namedHostsOf = (record: FullRecord, given: Values): string[] => {
  if (Object.keys(given).length === 0) return [];
  return addressesOf(record)
    .filter((address) => placeholdersIn(address).every((name) => Object.hasOwn(given, name)))
    .map((address) => plainHost(expandAddress(address, given)));
};
