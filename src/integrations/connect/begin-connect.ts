import { randomSecret } from '../../platform/index.ts';
import { findOauthProvider } from '../catalogue/catalogue.ts';
import type { Client } from '../catalogue/client.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { domainsOf, isUnder, namedHostsOf, plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import { notConfigured, ownCredentialsNeeded, providerRetired } from '../errors.ts';
import { buildAuthorizationUrl, scopesOf } from '../requests/authorization-url.ts';
import { type ConnectOptions, STATE_LIFETIME_MS, sealState } from './connect-state.ts';
import { checkReturnAddress } from './return-address.ts';

/** Who starts, for which team. `binding` is the digest of the cookie that this request sets, or null for a ticket. */
type Starter = { userId: string; teamId: string; binding: string | null };

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

/** Builds the provider's URL that starts the flow. Nothing is stored, because everything travels in the sealed state. */
export const beginConnect = async (
  { catalogue, discover, clients, vault, clock, url, returnOrigins }: IntegrationsContext,
  providerId: string,
  starter: Starter,
  options: ConnectOptions,
): Promise<{ authorizationUrl: string; expiresAt: number }> => {
  const provider = findOauthProvider(catalogue, providerId);
  if (provider.record.retired) throw providerRetired(provider.record.retired.reason);
  const client = await clients.find(starter.teamId, providerId);
  if (!client) throw notConfigured(settingsOf(providerId));
  const { record } = await discover(provider);
  const given = { ...client.params, ...options.params };
  const values = completeParams(record, given);
  refuseForeignHost(record, client, values);
  const returnTo = options.returnTo === null ? null : checkReturnAddress(options.returnTo, returnOrigins);
  const params = Object.keys(given).length > 0 ? given : null;
  const redirectUri = redirectUriOf(url, providerId);
  const verifier = randomSecret();
  const expiresAt = clock.now() + STATE_LIFETIME_MS;
  const secrets = { nonce: randomSecret(), verifier };
  const state = sealState(vault, redirectUri, { ...options, ...secrets, ...starter, expiresAt, returnTo, params });
  const authorizationUrl = buildAuthorizationUrl(record, {
    clientId: client.id,
    redirectUri,
    state,
    verifier,
    scopes: scopesOf(record, options.scopes ?? client.scopes),
    values,
  });
  return { authorizationUrl, expiresAt };
};
