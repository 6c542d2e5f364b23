import type { Secret } from '../../platform/index.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { SiteFields } from '../catalogue/provider.ts';
import { type ProviderFailure, toFailure } from '../catalogue/provider-failure.ts';
import type { Account } from '../catalogue/schemas.ts';
import type { AskContext, Target } from './ask-provider.ts';
import type { ListedSite } from './chosen-site.ts';
import { askAbout, fetchAccount, toLabel } from './grant-requests.ts';
import { readKept } from './token-response.ts';

/**
 * Generous limits. A person chooses among dozens of sites at most. One site may be listed several times, once for each
 * product.
 */
const MOST_SITES = 1_000;
const MOST_ELEMENTS = 5_000;

/** Reads the list of sites. Null if there is none. A site that can't be told apart, shown or used is left out. */
const readSites = ({ list, id, label, keep }: SiteFields, response: unknown): ListedSite[] | null => {
  const found = pick(response, list);
  if (!Array.isArray(found)) return null;
  const sites = new Map<string, ListedSite>();
  for (const one of found.slice(0, MOST_ELEMENTS)) {
    const siteId = pickText(one, [id]);
    const values = readKept(one, keep);
    const isWhole = Object.keys(keep).every((name) => name in values);
    if (siteId !== null && toLabel(siteId) === siteId && isWhole && !sites.has(siteId))
      sites.set(siteId, { id: siteId, label: toLabel(pickText(one, [label])) ?? siteId, values });
    if (sites.size >= MOST_SITES) break;
  }
  return [...sites.values()];
};

export type ListedSites = { sites: ListedSite[]; failure: null } | { sites: null; failure: ProviderFailure };

/** Asks the provider for the sites that the consent covers. */
export const fetchSites = async (context: AskContext, target: Target, accessToken: Secret): Promise<ListedSites> => {
  const { sites: fields, identity, errors } = target.provider.record;
  const request = fields?.url === undefined ? identity : fields;
  if (!fields || !request) throw new TypeError('This provider has no sites.');
  const response = await askAbout(context, target, accessToken, request);
  if (response.failure) return { sites: null, failure: response.failure };
  const sites = readSites(fields, response.body);
  return sites ? { sites, failure: null } : { sites: null, failure: toFailure(response, errors) };
};

/**
 * Asks whose account it is, and which sites the consent covers. `sites` is null if there are none or the provider
 * doesn't say.
 */
export const fetchHolder = async (
  context: AskContext,
  target: Target,
  source: Parameters<typeof fetchAccount>[2],
): Promise<{ account: Account; kept: Values; sites: ListedSite[] | null }> => {
  const { sites: fields } = target.provider.record;
  const [{ response, ...held }, listed] = await Promise.all([
    fetchAccount(context, target, source),
    fields?.url === undefined ? null : fetchSites(context, target, source.accessToken),
  ]);
  return { ...held, sites: listed?.sites ?? (fields && readSites(fields, response)) ?? null };
};
