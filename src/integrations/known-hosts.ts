import { expandAddress, placeholdersIn, type Values } from './placeholders.ts';
import type { FullRecord } from './provider.ts';

const hostOf = (address: string): string | null =>
  address.includes('{') ? null : (URL.parse(address)?.hostname ?? null);

const addressesOf = ({ authorize, token, refresh, revoke, identity }: FullRecord): string[] =>
  [authorize.url, token.url, token.upgrade?.url, refresh?.url, revoke?.url, identity?.url].filter(
    (address) => address !== undefined,
  );

/** The hosts of the addresses that hold no placeholder before their path. */
export const fixedHostsOf = (record: FullRecord): string[] =>
  addressesOf(record)
    .map(hostOf)
    .filter((host) => host !== null);

const known = new WeakMap<FullRecord, readonly string[]>();

/** The domains whose hosts may get the operator's credentials: those that the entry names, else its fixed hosts. */
export const domainsOf = (record: FullRecord): readonly string[] => {
  const found = known.get(record) ?? record.domains ?? fixedHostsOf(record);
  known.set(record, found);
  return found;
};

export const isUnder = (domains: readonly string[], host: string): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** Where a team's own client may be sent besides: the hosts that the params of its connect request name. */
export const namedHostsOf = (record: FullRecord, values: Values): string[] => {
  const names = Object.keys(record.params ?? {});
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
  return addressesOf(record)
    .filter((address) => placeholdersIn(address).every((name) => Object.hasOwn(given, name)))
    .map((address) => expandAddress(address, given).hostname);
};
