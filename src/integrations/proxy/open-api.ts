import type { HeaderList } from '../../platform/index.ts';
import { findProvider, isKeyBased, usesClientCredentials } from '../catalogue/catalogue.ts';
import { revealFields } from '../catalogue/client.ts';
import type { KeyRecord } from '../catalogue/key-record.ts';
import { createPlaceCheck, domainsOf, isUnder, plainHost } from '../catalogue/known-hosts.ts';
import {
  expandAddress,
  expandText,
  makeRandom,
  placeholdersIn,
  ValueMissing,
  type Values,
  withDefaults,
} from '../catalogue/placeholders.ts';
import type { ClientCredentialsProvider, FullRecord, KeyProvider, ResolvedProvider } from '../catalogue/provider.ts';
import type { ProviderApi } from '../catalogue/provider-api.ts';
import { lackedSettingsOf, settingsOf } from '../catalogue/settings-of.ts';
import type { Connection } from '../connections/connection.ts';
import { openAccessToken, openTokens } from '../connections/connection-tokens.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { needsReconnect, notConfigured } from '../errors.ts';
import { openKey } from '../keys/connection-key.ts';
import { expandKeyCredential } from '../keys/key-credential.ts';
import { toApiValues } from '../keys/try-key.ts';
import { getWorkingConnection, type WorkingContext } from '../refresh/working-connection.ts';
import { isOperators } from '../requests/ask-provider.ts';
import { knownOf } from '../requests/chosen-site.ts';
import { expandTokenCredential, type SentCredential } from '../requests/verification-request.ts';
import { siteMissing } from '../sites/errors.ts';
import { apiNotAllowed, apiUnknown, hostUnknown, noApi } from './errors.ts';

const namesClientSecret = (text: string): boolean => placeholdersIn(text).includes('client_secret');

/** The API of a connection, with everything needed to call it. */
export type OpenApi = {
  connection: Connection;
  api: Omit<ProviderApi, 'credential'>;
  /** Returns the API's base URL, or the URL of a named host. Throws if the entry has no host with that name. */
  addressOf(host: string | undefined): { url: URL; trusted: boolean };
  /**
   * Returns the entry's own headers for one request. If a header needs the chosen site and no site is chosen, throws,
   * unless the caller sends that header or the request goes to a named host.
   */
  headersFor(request: { host: string | undefined; sent: Readonly<Record<string, unknown>> }): HeaderList;
  credential: SentCredential;
  /** Whether the credential is a key that is itself sent to the API, so that it can't be renewed. */
  isPlainKey: boolean;
};

/** Lists the placeholders that have no value yet, because no site is chosen. */
const listOpen = ({ record }: Opening['provider'], values: Values): string[] =>
  'sites' in record ? Object.keys(record.sites?.keep ?? {}).filter((name) => !Object.hasOwn(values, name)) : [];

type Opening = {
  provider: ResolvedProvider | KeyProvider;
  connection: Connection;
  api: OpenApi['api'];
  values: Values;
  mayReceive(url: URL): boolean;
  /** The headers of the entry that `expand` returns with the credential. */
  secret?: ReadonlySet<string>;
  expand(): SentCredential;
};

const toOpenApi = ({ provider, connection, api, values, mayReceive, secret, expand }: Opening): OpenApi => {
  const known = new Map<string | undefined, ReturnType<OpenApi['addressOf']>>();
  const { hosts = {} } = api;
  const { record } = provider;
  const open = listOpen(provider, values);
  const fill = <Result>(expand: () => Result): Result => {
    try {
      return expand();
    } catch (error) {
      if (!(error instanceof ValueMissing)) throw error;
      throw open.includes(error.placeholder) ? siteMissing(record.id) : apiUnknown();
    }
  };
  // Fails now, and not with the first request.
  fill(expand);
  const needsSite = (text: string): boolean => placeholdersIn(text).some((name) => open.includes(name));
  return {
    connection,
    api,
    isPlainKey: 'fields' in provider.record && provider.record.kind !== 'client_credentials',
    addressOf(name) {
      const found = known.get(name);
      if (found) return found;
      const address = name === undefined ? api.url : Object.hasOwn(hosts, name) ? hosts[name] : undefined;
      if (address === undefined) throw hostUnknown(Object.keys(hosts));
      const url = fill(() => expandAddress(address, values));
      if (!mayReceive(url)) throw apiNotAllowed();
      const place = { url, trusted: isOperators(provider, plainHost(url)) };
      known.set(name, place);
      return place;
    },
    headersFor({ host, sent }) {
      const isLeftOut = (name: string): boolean => host !== undefined || sent[name.toLowerCase()] !== undefined;
      const own = Object.entries(api.headers ?? {}).filter(
        ([name, text]) => !secret?.has(name) && !(needsSite(text) && isLeftOut(name)),
      );
      const all = { ...values, random: makeRandom() };
      return fill(() => own.map(([name, text]) => [name, expandText(text, all)] as const));
    },
    get credential() {
      return fill(expand);
    },
  };
};

const ownDomainsOf =
  (record: KeyRecord) =>
  (url: URL): boolean =>
    isUnder(domainsOf(record), plainHost(url));

/**
 * Prepares API calls with an access token that was issued for a key. The token is sent only to the entry's own domains.
 */
const openClientApi = async (
  { vault }: WorkingContext,
  provider: ClientCredentialsProvider,
  connection: Connection,
): Promise<OpenApi> => {
  const { api } = provider.record;
  const { details, clientId } = connection;
  const tokens = await openTokens(vault, connection, 'client');
  if (!tokens) throw needsReconnect('unreadable');
  const values = toApiValues(provider, { details, clientId, accessToken: tokens.accessToken.reveal() });
  const expand = () => expandTokenCredential(api, values);
  return toOpenApi({ provider, connection, api, values, mayReceive: ownDomainsOf(provider.record), expand });
};

/** Prepares API calls with a key. The key is sent only to the entry's own domains. */
const openKeyApi = async (
  context: WorkingContext,
  provider: KeyProvider,
  wanted: WantedConnection,
): Promise<OpenApi> => {
  const { record } = provider;
  const connection = await getWorkingConnection(context, wanted);
  if (usesClientCredentials(provider)) return openClientApi(context, provider, connection);
  const fields = await openKey(context.vault, connection);
  if (!fields) throw needsReconnect('unreadable');
  const values = { ...withDefaults(connection.details, record), ...fields };
  const expand = () => expandKeyCredential(record, values);
  return toOpenApi({ provider, connection, api: record.api, values, mayReceive: ownDomainsOf(record), expand });
};

/** Opens what the API needs of the connection's client. Throws if something is missing. */
const openClientValues = async (
  { clients }: WorkingContext,
  record: FullRecord,
  { teamId, provider, clientOf }: Connection,
): Promise<Values> => {
  const wantsSecret = Object.values(record.api?.headers ?? {}).some(namesClientSecret);
  if (!record.clientFields && !wantsSecret) return {};
  const client = await clients.open(teamId, provider, clientOf);
  const secret = (wantsSecret && client?.secret) || null;
  const lacked = [
    ...(wantsSecret && !secret ? [settingsOf(record.id)[1]] : []),
    ...lackedSettingsOf(record, client ?? {}),
  ];
  if (lacked.length > 0) throw notConfigured(lacked);
  return { ...revealFields(client ?? {}), ...(secret ? { client_secret: secret.reveal() } : {}) };
};

/**
 * Lists headers that contain the access token, or a secret of the OAuth app. They're sent like the credential: nobody sees
 * them, stores them, or can replace them.
 */
const listSecretHeaders = ({ api, clientFields = {} }: FullRecord): [string, string][] => {
  const secrets = Object.entries(clientFields).flatMap(([name, { secret = true }]) => (secret ? [name] : []));
  const names = new Set(['access_token', 'client_secret', ...secrets]);
  return Object.entries(api?.headers ?? {}).filter(([, text]) => placeholdersIn(text).some((name) => names.has(name)));
};

/**
 * Prepares API calls for a working connection. The token is sent only to the entry's own domains, and to the host that
 * an admin has set up the team's own client with.
 */
export const openApi = async (context: WorkingContext, wanted: WantedConnection): Promise<OpenApi> => {
  const { catalogue, discover, clients, vault } = context;
  const entry = findProvider(catalogue, wanted.provider);
  if (isKeyBased(entry)) return openKeyApi(context, entry, wanted);
  const provider = await discover(entry);
  const { record } = provider;
  const { api } = record;
  if (!api) throw noApi();
  const connection = await getWorkingConnection(context, wanted);
  const accessToken = await openAccessToken(vault, connection);
  const client = await clients.find(connection.teamId, connection.provider);
  const ofClient = await openClientValues(context, record, connection);
  const mayReceive = createPlaceCheck(record, client?.of === connection.clientOf ? client.params : {});
  const values = {
    ...withDefaults(knownOf(record, connection), record),
    client_id: connection.clientId,
    access_token: accessToken.reveal(),
    ...ofClient,
  };
  const secret = listSecretHeaders(record);
  const expand = (): SentCredential => {
    const { headers, query } = expandTokenCredential(api, values);
    const all = { ...values, random: makeRandom() };
    return { headers: [...headers, ...secret.map(([name, text]) => [name, expandText(text, all)] as const)], query };
  };
  const names = new Set(secret.map(([name]) => name));
  return toOpenApi({ provider, connection, api, values, mayReceive, secret: names, expand });
};
