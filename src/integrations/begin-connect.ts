import { type Clock, randomSecret } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { Asked } from './ask-provider.ts';
import { buildAuthorizationUrl, scopesOf } from './authorization-url.ts';
import { type Catalogue, matchesWhole, type Provider } from './catalogue.ts';
import type { Clients } from './clients.ts';
import { STATE_LIFETIME_MS, sealState, type Wish } from './connect-state.ts';
import type { Discovery } from './discover-provider.ts';
import { notConfigured, ownCredentialsNeeded, paramsInvalid, providerRetired, providerUnknown } from './errors.ts';
import { domainsOf, isUnder, namedHostsOf, plainHost } from './known-hosts.ts';
import { expandAddress, type Values, withDefaults } from './placeholders.ts';
import type { FullRecord } from './provider.ts';
import type { Client } from './provider-request.ts';
import { checkReturnAddress } from './return-address.ts';
import { settingsOf } from './settings-of.ts';

export type BeginDependencies = {
  catalogue: Catalogue;
  discover: Discovery;
  clients: Clients;
  vault: Vault;
  clock: Clock;
  /** The public base address. */
  url: string;
  returnOrigins: readonly string[];
};

/** Who begins, for which team. `binding` is the digest of the cookie that this request sets; null for a ticket. */
export type Beginner = { userId: string; teamId: string; binding: string | null };

export const redirectUriOf = (url: string, provider: string): string => `${url}/api/integrations/${provider}/callback`;

export const findProvider = (catalogue: Catalogue, id: string): Provider => {
  const provider = catalogue.get(id);
  if (!provider) throw providerUnknown();
  return provider;
};

/** Every param is one of the entry's and looks as it must. */
export const checkParams = ({ params = {} }: Pick<FullRecord, 'params'>, given: Values): void => {
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const known = Object.hasOwn(params, name) ? params[name] : undefined;
    if (!known) return [{ path: `params.${name}`, message: 'is not a param of this provider' }];
    return matchesWhole(known.pattern, value)
      ? []
      : [{ path: `params.${name}`, message: `must look like "${known.example}"` }];
  });
  if (wrong.length > 0) throw paramsInvalid(wrong);
};

/** Checked, and with the entry's defaults filled in. */
export const completeParams = (
  { params = {}, defaults }: Pick<FullRecord, 'params' | 'defaults'>,
  given: Values,
): Values => {
  checkParams({ params }, given);
  const missing = Object.entries(params)
    .filter(([name, { default: standard }]) => standard === undefined && !Object.hasOwn(given, name))
    .map(([name, { example }]) => ({ path: `params.${name}`, message: `is needed, for example "${example}"` }));
  if (missing.length > 0) throw paramsInvalid(missing);
  const values = Object.fromEntries(
    Object.entries(params).map(([name, { default: standard = '' }]) => [name, given[name] ?? standard]),
  );
  return withDefaults(values, defaults);
};

/**
 * A client is sent to the provider's own hosts, and a team's also to the one that an admin has named with it: any member
 * may begin a flow, and must not be able to have the client's secret sent elsewhere.
 */
const refuseForeignHost = (record: FullRecord, client: Pick<Client, 'params'>, values: Values): void => {
  const templates = [record.authorize.url, record.token.url].filter((address) => address.includes('{'));
  if (templates.length === 0) return;
  const hosts = templates.map((address) => plainHost(expandAddress(address, values)));
  const domains = domainsOf(record);
  const named = namedHostsOf(record, client.params);
  if (!hosts.every((host) => isUnder(domains, host) || named.includes(host))) throw ownCredentialsNeeded();
};

const findClient = async (clients: Clients, teamId: string, provider: string) => {
  const client = await clients.find(teamId, provider);
  if (!client) throw notConfigured(settingsOf(provider));
  return client;
};

/** Makes the address at the provider that begins the flow. Nothing is written: everything travels in the sealed state. */
export const beginConnect = async (
  dependencies: BeginDependencies,
  providerId: string,
  { userId, teamId, binding }: Beginner,
  wish: Wish,
): Promise<{ authorizationUrl: string; expiresAt: number }> => {
  const { catalogue, discover, clients, vault, clock, url, returnOrigins } = dependencies;
  const provider = findProvider(catalogue, providerId);
  if (provider.record.retired) throw providerRetired(provider.record.retired.reason);
  const client = await findClient(clients, teamId, providerId);
  const { record }: Asked = await discover(provider);
  const asked = { ...client.params, ...wish.params };
  const values = completeParams(record, asked);
  refuseForeignHost(record, client, values);
  const { scopes } = wish;
  const returnTo = wish.returnTo === null ? null : checkReturnAddress(wish.returnTo, returnOrigins);
  const params = Object.keys(asked).length > 0 ? asked : null;
  const redirectUri = redirectUriOf(url, providerId);
  const verifier = randomSecret();
  const expiresAt = clock.now() + STATE_LIFETIME_MS;
  const state = sealState(vault, redirectUri, {
    nonce: randomSecret(),
    verifier,
    userId,
    teamId,
    expiresAt,
    binding,
    scopes,
    returnTo,
    params,
  });
  const authorizationUrl = buildAuthorizationUrl(record, {
    clientId: client.id,
    redirectUri,
    state,
    verifier,
    scopes: scopesOf(record, scopes),
    values,
  });
  return { authorizationUrl, expiresAt };
};
