import type { Values } from '../catalogue/placeholders.ts';
import type { Catalogue, SiteFields } from '../catalogue/provider.ts';

/** One of the sites that a consent covers, and the values kept from the list. */
export type ListedSite = { id: string; label: string; values: Values };

/** The site that a connection is for. `open`: a site has to be chosen. */
export type ChosenSite = ({ state: 'chosen' } & ListedSite) | { state: 'open' };

/**
 * A connection's values. `site` is null if there was never a choice. Then the values from the identity response are
 * used.
 */
type Holder = { details: Values; accountId: string | null; site: ChosenSite | null };
type Entry = { sites?: SiteFields | null };

/** The provider's word for a site. Null if the provider has no sites. */
export const siteWordOf = ({ sites }: Entry): string | null => (sites ? (sites.called ?? 'site') : null);

export const siteWordIn = (catalogue: Catalogue, id: string): string | null => {
  const { record } = catalogue.get(id) ?? {};
  return record && 'sites' in record ? siteWordOf(record) : null;
};

const ofAccount = ({ details, accountId }: Holder): Values => ({
  ...details,
  ...(accountId === null ? {} : { account_id: accountId }),
});

/** A connection's values for its account and its site. Until a site is chosen, the site's values are missing. */
export const knownOf = ({ sites }: Entry, holder: Holder): Values => {
  const known = ofAccount(holder);
  if (!sites || !holder.site) return known;
  const others = Object.entries(known).filter(([name]) => !Object.hasOwn(sites.keep, name));
  return { ...Object.fromEntries(others), ...(holder.site.state === 'chosen' ? holder.site.values : {}) };
};

/** Whether a connection still needs a site. Requests that need the site are refused. */
export const lacksSite = (entry: Entry, holder: Holder): boolean => {
  const known = knownOf(entry, holder);
  return Object.keys(entry.sites?.keep ?? {}).some((name) => !Object.hasOwn(known, name));
};

const isFor = (holder: Holder, { id, values }: ListedSite): boolean => {
  if (holder.site) return holder.site.state === 'chosen' && holder.site.id === id;
  const known = ofAccount(holder);
  return Object.entries(values).every(([name, value]) => known[name] === value);
};

/**
 * The site of a new grant: the same account's earlier site if it's still listed, or else the only listed site. `listed`
 * is null if the provider didn't list its sites. Then the earlier site stays.
 */
export const settleSite = (
  { sites }: Entry,
  listed: readonly ListedSite[] | null,
  earlier: Holder | null,
): ChosenSite | null => {
  if (!sites) return null;
  if (earlier && !listed) return earlier.site;
  const [only, ...others] = listed ?? [];
  const site = (earlier && listed?.find((one) => isFor(earlier, one))) ?? (others.length === 0 ? only : undefined);
  return site ? { state: 'chosen', ...site } : { state: 'open' };
};
