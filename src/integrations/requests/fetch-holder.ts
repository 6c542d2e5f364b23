import { digestOf, type Secret } from '../../platform/index.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import { expandText, placeholdersIn, type Values } from '../catalogue/placeholders.ts';
import type { OauthRecord, RequestFields, SiteFields } from '../catalogue/provider.ts';
import { type ProviderFailure, toFailure } from '../catalogue/provider-failure.ts';
import type { Account } from '../catalogue/schemas.ts';
import { type AskContext, askProvider, type ProviderResponse, type Target } from './ask-provider.ts';
import type { ListedSite } from './chosen-site.ts';
import type { RequestPlan } from './provider-request.ts';
import { readKept } from './token-response.ts';

const MOST_LABEL_CHARACTERS = 200;
/**
 * Short enough that this and the token request, which may take ten seconds, end before the incoming request times out,
 * after fifteen seconds. If this takes longer, the account's name is left out.
 */
const IDENTITY_MS = 4_000;
/** Large, because some providers describe the whole account. */
const MOST_IDENTITY_BYTES = 256 * 1024;
/** Larger, because some providers list everything that the account has access to. */
const MOST_BYTES_WITH_SITES = 1024 * 1024;

/** A person chooses from a few dozen sites at most. Some providers list a site several times, once for each product. */
const MOST_SITES = 1_000;
const MOST_ELEMENTS = 5_000;

const UNAUTHORIZED = 401;

/**
 * Makes a text safe to store and show: without control characters and characters that change the direction of text, and
 * not too long.
 */
export const toLabel = (text: string | null): string | null => {
  const start = (text ?? '').slice(0, 4 * MOST_LABEL_CHARACTERS);
  const clean = [...start.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, '')].slice(0, MOST_LABEL_CHARACTERS);
  return clean.length > 0 ? clean.join('') : null;
};

/**
 * Reads the account's ID from a path in the response, or from known values if `id` has placeholders, such as
 * `{realmId}`.
 */
const readAccountId = (response: unknown, id: string, values: Values): string | null => {
  const names = placeholdersIn(id);
  if (names.length === 0) return pickText(response, [id]);
  return names.every((name) => Object.hasOwn(values, name)) ? expandText(id, values) : null;
};

/** Whose account a connection is: the account, its company or workspace, and where the two were read from. */
export type Identified = { account: Account; installationId: string | null; accountFrom: string | null };

const NOBODY: Identified = { account: { id: null, label: null }, installationId: null, accountFrom: null };

/** A digest of the fields that an account is read from. It shows which accounts were read before the entry changed. */
export const accountSourceOf = ({ identity }: Pick<OauthRecord, 'identity'>): string | null =>
  identity
    ? digestOf(JSON.stringify([identity.url ?? null, identity.id, identity.installation ?? null])).slice(0, 12)
    : null;

/** Makes a request about the account, with its access token. */
const askAbout = (
  context: AskContext,
  target: Target,
  accessToken: Secret,
  request: RequestFields & { url?: string },
): Promise<ProviderResponse> => {
  const { url = '', headers } = request;
  const plan: RequestPlan = {
    method: 'GET',
    auth: 'none',
    body: 'none',
    ...request,
    url,
    headers: { authorization: 'Bearer {access_token}', ...headers },
    protocol: {},
    namesClient: false,
    timeoutMs: IDENTITY_MS,
    mostBytes: target.provider.record.sites ? MOST_BYTES_WITH_SITES : MOST_IDENTITY_BYTES,
  };
  const values = { ...target.values, access_token: accessToken.reveal() };
  return askProvider(context, { ...target, values }, plan);
};

/**
 * Fetches the account and the values that the entry keeps. Also returns the response. If the request fails, the account
 * stays unknown, because a missing name is no reason to lose the connection.
 */
export const fetchAccount = async (
  context: AskContext,
  target: Target,
  { accessToken, response }: { accessToken: Secret; response: unknown },
): Promise<Identified & { kept: Values; response: unknown }> => {
  const { record } = target.provider;
  const { identity } = record;
  if (!identity) return { ...NOBODY, kept: {}, response: null };
  const { url, id, label, installation, keep = {} } = identity;
  const fetched = url ? await askAbout(context, target, accessToken, identity) : { body: response, failure: null };
  // After a failure, read nothing. The body may be a well-formed error, and the value of an ID such as `{realmId}` came
  // from the browser, which only a successful request confirms.
  if (fetched.failure) return { ...NOBODY, kept: {}, response: null };
  const { body } = fetched;
  const read = (path: string): string | null => toLabel(readAccountId(body, path, target.values));
  const accountId = read(id);
  return {
    account: { id: accountId, label: toLabel(pickText(body, [label])) ?? accountId },
    installationId: installation === undefined ? null : read(installation),
    accountFrom: accountSourceOf(record),
    kept: readKept(body, keep),
    response: body,
  };
};

/**
 * Asks about the account, to see whether the access token works. Returns `unconfirmed` if the response isn't clear, or
 * if this grant's account was never read from such a response.
 */
export const probeAccount = async (
  context: AskContext,
  target: Target,
  accessToken: Secret,
  accountId: string | null,
): Promise<'accepted' | 'rejected' | 'unconfirmed'> => {
  const { identity } = target.provider.record;
  if (!identity?.url || accountId === null) return 'unconfirmed';
  const { failure, body } = await askAbout(context, target, accessToken, identity);
  if (failure) return failure.httpStatus === UNAUTHORIZED ? 'rejected' : 'unconfirmed';
  return toLabel(readAccountId(body, identity.id, target.values)) === accountId ? 'accepted' : 'unconfirmed';
};

/** Reads the list of sites. Null if there is no list. Leaves out sites without a usable ID or with missing values. */
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

/** Fetches the sites that the consent covers. */
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
 * Fetches the account, and the sites that the consent covers. `sites` is null if the provider has no sites or doesn't
 * list them.
 */
export const fetchHolder = async (
  context: AskContext,
  target: Target,
  source: Parameters<typeof fetchAccount>[2],
): Promise<Identified & { kept: Values; sites: ListedSite[] | null }> => {
  const { sites: fields } = target.provider.record;
  const [{ response, ...held }, listed] = await Promise.all([
    fetchAccount(context, target, source),
    fields?.url === undefined ? null : fetchSites(context, target, source.accessToken),
  ]);
  return { ...held, sites: listed?.sites ?? (fields && readSites(fields, response)) ?? null };
};
