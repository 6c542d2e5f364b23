import type { Static } from 'typebox';
import type { Caller, Restriction } from '../../http/index.ts';
import { randomSecret, toIso } from '../../platform/index.ts';
import { type Beginning, begunWith } from '../../teams/index.ts';
import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { type Client, revealFields } from '../catalogue/client.ts';
import { createPlaceCheck, hasOtherBase } from '../catalogue/known-hosts.ts';
import { expandAddress, hostPartOf, placeholdersIn, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord, KeyProvider, Provider } from '../catalogue/provider.ts';
import { checkParams, completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { lackedSettingsOf, neededSettingsOf } from '../catalogue/settings-of.ts';
import { getHeldAccount, refuseWithoutRoom } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import {
  connectNotAllowed,
  connectProviderNotAllowed,
  nameTakenForToken,
  notConfigured,
  ownCredentialsNeeded,
  providerRetired,
  scopesInvalid,
} from '../errors.ts';
import { buildAuthorizationUrl, scopesOf } from '../requests/authorization-url.ts';
import type { BegunConnect, ConnectBody } from './connect-schemas.ts';
import { type ConnectOptions, STANDARD_OPTIONS, STATE_LIFETIME_MS, sealState } from './connect-state.ts';
import { makeTicket } from './connect-ticket.ts';
import { checkReturnAddress } from './return-address.ts';

/**
 * Who starts a connect, for which team, and how it began. `startedAt` is later than its beginning if a link led to it.
 * `binding` is the digest of the cookie that this request sets, or null if it sets none.
 */
type Starter = { userId: string; teamId: string; begun: Beginning; startedAt: number; binding: string | null };

/**
 * Refuses params that send a client's secret to a foreign host, because any member can choose params. Allowed are the
 * provider's own domains and, for a team's own client, exactly the host, port and path that an admin set it up with. A
 * URL that depends on the callback is checked when it's used.
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

/** Lists the client's fields that the person who connects may see. Throws if the client lacks a field. */
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
  /** The URL of the provider's authorization page. Null if our form asks for a key instead. */
  authorizationUrl: string | null;
  /** Where the browser goes: to the provider, or to our form. */
  nextUrl: string;
  expiresAt: number;
};

/** Starts a connect with our form. The form asks for missing params, so only the given ones are checked here. */
const beginKeyForm = (
  { vault, url, returnOrigins }: IntegrationsContext,
  { record }: KeyProvider,
  starter: Starter,
  options: ConnectOptions,
): Begun => {
  const { scopes, params } = options;
  if (scopes && scopes.length > 0) throw scopesInvalid('must be left out, because this provider has none');
  checkParams(record, params ?? {});
  const returnTo = options.returnTo === null ? null : checkReturnAddress(options.returnTo, returnOrigins);
  const expiresAt = starter.startedAt + STATE_LIFETIME_MS;
  const secrets = { nonce: randomSecret(), verifier: '' };
  const state = { ...options, ...secrets, ...starter, scopes: null, expiresAt, returnTo };
  const sealed = sealState(vault, redirectUriOf(url, record.id), state);
  return { authorizationUrl: null, nextUrl: `${url}${keyFormPath(record.id, sealed)}`, expiresAt };
};

/**
 * Builds the URL that starts a connect: the provider's authorization page, or our form. Nothing is stored. The sealed
 * state in the URL contains everything that the callback needs.
 */
export const beginConnect = async (
  context: IntegrationsContext,
  providerId: string,
  starter: Starter,
  options: ConnectOptions,
): Promise<Begun> => {
  const { catalogue, discover, clients, vault, url, returnOrigins } = context;
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
  const expiresAt = starter.startedAt + STATE_LIFETIME_MS;
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

/** Whether a param is a field of the consent's address, where it may widen what the provider grants. */
const isSentToConsent = ({ record }: Provider, name: string): boolean =>
  'authorize' in record &&
  Object.values(record.authorize?.params ?? {}).some((text) => placeholdersIn(text).includes(name));

/**
 * The options of a connect that is begun with a restricted token: the default scopes, the token's own return URL, and
 * nothing is replaced.
 */
const restrictConnect = (
  { allow }: Restriction,
  entry: Provider,
  asked: Partial<ConnectOptions>,
  returnTo: string | null,
): ConnectOptions => {
  const { id } = entry.record;
  if (allow.length > 0 && !allow.some(({ provider }) => provider === id)) throw connectProviderNotAllowed(id);
  for (const field of ['scopes', 'returnTo'] as const) if (asked[field] != null) throw connectNotAllowed(field);
  const widening = Object.keys(asked.params ?? {}).find((name) => isSentToConsent(entry, name));
  if (widening !== undefined) throw connectNotAllowed(`params.${widening}`);
  return { ...STANDARD_OPTIONS, ...asked, returnTo, replace: false };
};

/**
 * Begins a connect for a program. `bind` binds it to the browser that asked, and returns the digest of its cookie. A
 * restricted token gets neither, because a person has to follow the link.
 */
export const beginForCaller = async (
  context: IntegrationsContext,
  caller: Caller,
  provider: string,
  wish: Static<typeof ConnectBody>,
  bind: () => string,
): Promise<Static<typeof BegunConnect>> => {
  const { url, catalogue, clock } = context;
  const { userId, teamId, restriction, returnTo = null } = caller;
  const entry = findProvider(catalogue, provider);
  const options = restriction
    ? restrictConnect(restriction, entry, wish, returnTo)
    : { ...STANDARD_OPTIONS, returnTo, ...wish };
  const binding = restriction ? null : bind();
  const startedAt = clock.now();
  const starter = { userId, teamId, startedAt, begun: { begunAt: startedAt, ...begunWith(caller) } };
  const { nextUrl: _, ...begun } = await beginConnect(context, provider, { ...starter, binding }, options);
  const ticket = makeTicket(context, provider, starter, options);
  const connectUrl = `${url}/api/integrations/${provider}/connect?ticket=${ticket}`;
  const { connection } = options;
  const key = { teamId, provider, name: connection };
  await refuseWithoutRoom(context, key);
  const replaces = await getHeldAccount(context, key);
  if (restriction && replaces) throw nameTakenForToken(connection);
  // A restricted token gets no address where its holder could take part in the connect.
  const shown = restriction ? { ...begun, authorizationUrl: null } : begun;
  return { provider, connection, connectUrl, ...shown, expiresAt: toIso(begun.expiresAt), replaces };
};
