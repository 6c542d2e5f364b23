import type { Values } from '../catalogue/placeholders.ts';
import type { Catalogue, SiteFields } from '../catalogue/provider.ts';

/** One of those that a consent covers, and what is kept of it. */
export type ListedSite = { id: string; label: string; values: Values };

/** Which one a connection is for. `open`: nobody has chosen yet. */
export type ChosenSite = ({ state: 'chosen' } & ListedSite) | { state: 'open' };

/** `site` is null if nobody was ever asked. Such a connection goes on with what identity says. */
type Holder = { details: Values; accountId: string | null; site: ChosenSite | null };
type Entry = { sites?: SiteFields | null };

/** What people at this provider call one of them. Null if there is nothing to choose. */
export const siteWordOf = ({ sites }: Entry): string | null => (sites ? (sites.called ?? 'site') : null);

export const siteWordIn = (catalogue: Catalogue, id: string): string | null => {
  const { record } = catalogue.get(id) ?? {};
  return record && 'sites' in record ? siteWordOf(record) : null;
};

const ofAccount = ({ details, accountId }: Holder): Values => ({
  ...details,
  ...(accountId === null ? {} : { account_id: accountId }),
});

/** What a connection knows of its account and its site. While the choice is open, nothing stands in for the site. */
export const knownOf = ({ sites }: Entry, holder: Holder): Values => {
  const known = ofAccount(holder);
  if (!sites || !holder.site) return known;
  const others = Object.entries(known).filter(([name]) => !Object.hasOwn(sites.keep, name));
  return { ...Object.fromEntries(others), ...(holder.site.state === 'chosen' ? holder.site.values : {}) };
};

/** Whether requests that need the site are refused for now. */
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
 * The site of a new grant: the one that the same account had before, while it's still listed, or else the only one.
 * `listed` is null if the provider didn't say, so that everything stays as it was.
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
