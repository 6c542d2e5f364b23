import { randomSecret } from '../../platform/index.ts';
import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { type Client, revealFields } from '../catalogue/client.ts';
import { createPlaceCheck, hasOtherBase } from '../catalogue/known-hosts.ts';
import { expandAddress, hostPartOf, placeholdersIn, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord, KeyProvider } from '../catalogue/provider.ts';
import { checkParams, completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { lackedSettingsOf, neededSettingsOf } from '../catalogue/settings-of.ts';
import type { IntegrationsContext } from '../context.ts';
import { notConfigured, ownCredentialsNeeded, providerRetired, scopesInvalid } from '../errors.ts';
import { buildAuthorizationUrl, scopesOf } from '../requests/authorization-url.ts';
import { type ConnectOptions, STATE_LIFETIME_MS, sealState } from './connect-state.ts';
import { checkReturnAddress } from './return-address.ts';

/**
 * Who starts a flow, for which team, and in which session, if there is one. `binding` is the digest of the cookie that
 * this request sets, or null for a ticket.
 */
type Starter = { userId: string; teamId: string; sessionId: string | null; binding: string | null };

/**
 * Refuses params that would send a client to a foreign place. A client may go to the provider's own hosts, and a team's
 * client also to the place that an admin named with it. Any member may start a flow, and must not be able to have the
 * client's secret sent elsewhere. Another port or path of that host is refused, too, because someone else may listen
 * there. An address that depends on the callback is checked when it's used.
 */
const refuseForeignHost = (record: FullRecord, client: Pick<Client, 'id' | 'params'>, values: Values): void => {
  const known = { ...values, client_id: client.id };
  const places = [record.authorize.url, record.token.url]
    .map(hostPartOf)
    .filter((address) => address.includes('{'))
    .filter((address) => placeholdersIn(address).every((name) => Object.hasOwn(known, name)))
    .map((address) => expandAddress(address, known));
  if (places.length === 0) return;
  const mayReceive = createPlaceCheck(record, client.params);
  if (!places.every(mayReceive) || hasOtherBase(record, client.params, values)) throw ownCredentialsNeeded();
};

/** Lists the client's fields that the person who connects may see. Refuses a client that lacks a field. */
const listShownFields = async (
  { clients }: Pick<IntegrationsContext, 'clients'>,
  teamId: string,
  record: FullRecord,
  of: Client['of'],
): Promise<Values> => {
  const client = await clients.open(teamId, record.id, of);
  const { clientFields = {} } = record;
  const lacked = lackedSettingsOf(record, client ?? {});
  if (!client || lacked.length > 0) throw notConfigured(lacked);
  return Object.fromEntries(
    Object.entries(revealFields(client)).filter(([name]) => clientFields[name]?.secret === false),
  );
};

/** The path of the form that asks for a key. */
export const keyFormPath = (provider: string, state: string): string =>
  `/integrations/${provider}/key?${new URLSearchParams({ state })}`;

type Begun = {
  /** The provider's own address. Null if we ask for a key instead. */
  authorizationUrl: string | null;
  /** Where the browser goes: to the provider, or to our form. */
  nextUrl: string;
  expiresAt: number;
};

/** Starts a flow with our form. The form asks for missing params, so only the given ones are checked here. */
const beginKeyForm = (
  { vault, clock, url, returnOrigins }: IntegrationsContext,
  { record }: KeyProvider,
  starter: Starter,
  options: ConnectOptions,
): Begun => {
  const { scopes, params } = options;
  if (scopes && scopes.length > 0) throw scopesInvalid('must be left out, because this provider has none');
  checkParams(record, params ?? {});
  const returnTo = options.returnTo === null ? null : checkReturnAddress(options.returnTo, returnOrigins);
  const expiresAt = clock.now() + STATE_LIFETIME_MS;
  const secrets = { nonce: randomSecret(), verifier: '' };
  const state = { ...options, ...secrets, ...starter, scopes: null, expiresAt, returnTo };
  const sealed = sealState(vault, redirectUriOf(url, record.id), state);
  return { authorizationUrl: null, nextUrl: `${url}${keyFormPath(record.id, sealed)}`, expiresAt };
};

/**
 * Builds the address that starts the flow, the provider's or our form's. Nothing is stored, because everything travels
 * in the sealed state.
 */
export const beginConnect = async (
  context: IntegrationsContext,
  providerId: string,
  starter: Starter,
  options: ConnectOptions,
): Promise<Begun> => {
  const { catalogue, discover, clients, vault, clock, url, returnOrigins } = context;
  const provider = findProvider(catalogue, providerId);
  if (provider.record.retired) throw providerRetired(provider.record.retired.reason);
  await context.pause.check();
  if (isKeyBased(provider)) return beginKeyForm(context, provider, starter, options);
  const client = await clients.find(starter.teamId, providerId);
  if (!client) throw notConfigured(neededSettingsOf(provider.record));
  const { record } = await discover(provider);
  const given = { ...client.params, ...options.params };
  const values = completeParams(record, given);
  refuseForeignHost(record, client, values);
  const shown = record.clientFields ? await listShownFields(context, starter.teamId, record, client.of) : {};
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
    values: { ...values, ...shown },
  });
  return { authorizationUrl, nextUrl: authorizationUrl, expiresAt };
};
