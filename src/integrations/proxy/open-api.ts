import type { HeaderList } from '../../platform/index.ts';
import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { domainsOf, isUnder, namedHostsOf, plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress, expandText, ValueMissing, type Values, withDefaults } from '../catalogue/placeholders.ts';
import type { KeyProvider, ResolvedProvider } from '../catalogue/provider.ts';
import type { ProviderApi } from '../catalogue/provider-api.ts';
import type { Connection } from '../connections/connection.ts';
import { openAccessToken } from '../connections/connection-tokens.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { getWorkingConnection, type WorkingContext } from '../connections/working-connection.ts';
import { apiNotAllowed, apiUnknown, hostUnknown, needsReconnect, noApi } from '../errors.ts';
import { openKey } from '../keys/connection-key.ts';
import { expandKeyCredential, type SentCredential } from '../keys/key-credential.ts';
import { isOperators } from '../requests/ask-provider.ts';

/** A connection's API, ready to be called. */
export type OpenApi = {
  connection: Connection;
  api: ProviderApi;
  /** The provider's own address, or one of its named hosts. Refuses a name that the entry doesn't have. */
  addressOf(host: string | undefined): { url: URL; trusted: boolean };
  /** The entry's fixed headers. */
  headers: HeaderList;
  credential: SentCredential;
  /** With a key, which can't be refreshed. */
  isKeyBased: boolean;
};

const BEARER = { header: 'authorization', format: 'Bearer {access_token}' } as const;

const fill = <Result>(expand: () => Result): Result => {
  try {
    return expand();
  } catch (error) {
    if (error instanceof ValueMissing) throw apiUnknown();
    throw error;
  }
};

const expandHeaders = (headers: Values | undefined, values: Values): HeaderList =>
  Object.entries(headers ?? {}).map(([name, text]) => [name, expandText(text, values)] as const);

const expandCredential = ({ credential = BEARER }: ProviderApi, values: Values): SentCredential => {
  if ('query' in credential)
    return { headers: [], query: { name: credential.query, value: values['access_token'] ?? '' } };
  return { headers: [[credential.header, expandText(credential.format, values)]], query: null };
};

type Opening = {
  provider: ResolvedProvider | KeyProvider;
  connection: Connection;
  api: ProviderApi;
  values: Values;
  /** Where the credential may go besides the entry's own domains. */
  named: readonly string[];
  expand(): SentCredential;
};

const toOpenApi = ({ provider, connection, api, values, named, expand }: Opening): OpenApi => {
  const known = new Map<string | undefined, ReturnType<OpenApi['addressOf']>>();
  const { hosts = {} } = api;
  return {
    connection,
    api,
    isKeyBased: isKeyBased(provider),
    addressOf(name) {
      const found = known.get(name);
      if (found) return found;
      const address = name === undefined ? api.url : Object.hasOwn(hosts, name) ? hosts[name] : undefined;
      if (address === undefined) throw hostUnknown(Object.keys(hosts));
      const url = fill(() => expandAddress(address, values));
      const host = plainHost(url);
      if (!isUnder(domainsOf(provider.record), host) && !named.includes(host)) throw apiNotAllowed();
      const place = { url, trusted: isOperators(provider, host) };
      known.set(name, place);
      return place;
    },
    headers: fill(() => expandHeaders(api.headers, values)),
    credential: fill(expand),
  };
};

/** A key goes to the entry's own domains only. */
const openKeyApi = async (
  context: WorkingContext,
  provider: KeyProvider,
  wanted: WantedConnection,
): Promise<OpenApi> => {
  const { record } = provider;
  const connection = await getWorkingConnection(context, wanted);
  const fields = await openKey(context.vault, connection);
  if (!fields) throw needsReconnect('unreadable');
  const values = { ...withDefaults(connection.details, record.defaults), ...fields };
  const expand = () => expandKeyCredential(record, values);
  return toOpenApi({ provider, connection, api: record.api, values, named: [], expand });
};

/**
 * Opens the API of a connection that works. The token goes only to the entry's own domains, and to the host that an admin
 * has named with the team's own client.
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
  const named = client?.of === connection.clientOf ? namedHostsOf(record, client.params) : [];
  const values = {
    ...withDefaults(connection.details, record.defaults),
    client_id: connection.clientId,
    ...(connection.accountId === null ? {} : { account_id: connection.accountId }),
    access_token: accessToken.reveal(),
  };
  return toOpenApi({ provider, connection, api, values, named, expand: () => expandCredential(api, values) });
};
