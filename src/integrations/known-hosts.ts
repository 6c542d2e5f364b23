import type { FullRecord } from './provider.ts';

const hostOf = (address: string): string | null =>
  address.includes('{') ? null : (URL.parse(address)?.hostname ?? null);

/** The domains whose hosts may get the operator's credentials: those that the entry names, else its fixed hosts. */
export const domainsOf = ({ domains, authorize, token, refresh, revoke, identity }: FullRecord): readonly string[] =>
  domains ??
  [authorize.url, token.url, token.upgrade?.url, refresh?.url, revoke?.url, identity?.url]
    .map((address) => (address === undefined ? null : hostOf(address)))
    .filter((host) => host !== null);

export const isUnder = (domains: readonly string[], host: string): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
