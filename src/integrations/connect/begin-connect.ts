import { type Clock, randomSecret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { findProvider } from '../catalogue/find-provider.ts';
import { domainsOf, isUnder, namedHostsOf, plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import type { Clients } from '../clients/clients.ts';
import { notConfigured, ownCredentialsNeeded, providerRetired } from '../errors.ts';
import type { Asked } from '../requests/ask-provider.ts';
import { buildAuthorizationUrl, scopesOf } from '../requests/authorization-url.ts';
import type { Discovery } from '../requests/discover-provider.ts';
import type { Client } from '../requests/provider-request.ts';
import { STATE_LIFETIME_MS, sealState, type Wish } from './connect-state.ts';
import { checkReturnAddress } from './return-address.ts';

export type BeginDependencies = {
  catalogue: Catalogue;
  discover: Discovery;
  clients: Clients;
  vault: Vault;
  clock: Clock;
  /** The public base URL. */
  url: string;
  returnOrigins: readonly string[];
};

/** Who starts, for which team. `binding` is the digest of the cookie that this request sets, or null for a ticket. */
export type Beginner = { userId: string; teamId: string; binding: string | null };

/**
 * A client is sent to the provider's own hosts, and a team's client also to the host that an admin has named with it.
 * Any member may start a flow, and must not be able to have the client's secret sent elsewhere.
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

/** Builds the provider's URL that starts the flow. Nothing is stored, because everything travels in the sealed state. */
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
