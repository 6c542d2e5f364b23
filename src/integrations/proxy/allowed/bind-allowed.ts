import { isDeepStrictEqual } from 'node:util';
import type { Allowed, AllowedAccount } from '../../../http/index.ts';
import type { AskedAllow } from '../../../teams/index.ts';
import { findProvider } from '../../catalogue/catalogue.ts';
import { placeholdersIn } from '../../catalogue/placeholders.ts';
import type { ProviderApi } from '../../catalogue/provider-api.ts';
import type { Connection } from '../../connections/connection.ts';
import { getConnection } from '../../connections/connection-store.ts';
import { toNotConnected } from '../../connections/find-connection.ts';
import type { IntegrationsContext } from '../../context.ts';
import { hostUnknown, noApi, patternInvalid } from '../errors.ts';
import { parsePattern } from './path-pattern.ts';

type AddressedApi = Pick<ProviderApi, 'url' | 'hosts' | 'headers'>;

const placesOf = ({ details }: Connection, { url, hosts = {}, headers = {} }: AddressedApi): Record<string, string> => {
  const names = [url, ...Object.values(hosts), ...Object.values(headers)].flatMap(placeholdersIn);
  const known = [...new Set(names)].sort().map((name) => [name, details[name]] as const);
  return Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
};

/** The account that a connection has now. */
export const accountOf = (connection: Connection, api: AddressedApi): AllowedAccount => {
  const { id: connectionId, connectedAt, accountId: id, accountLabel: label, site } = connection;
  const { installationId, accountFrom, authority } = connection;
  return {
    ...{ id, label, installationId, accountFrom, authority, connectionId, connectedAt },
    site: site?.state === 'chosen' ? site.id : null,
    places: placesOf(connection, api),
  };
};

/**
 * Whether a connection is still for the account that it had when the token was made: the same person or company, and
 * the same site, tenant, or whatever its params name. If the account was unknown, the consent has to be the same.
 */
export const isBoundTo = (bound: AllowedAccount, connection: Connection, api: AddressedApi): boolean => {
  const current = accountOf(connection, api);
  if (bound.id === null && current.connectedAt !== bound.connectedAt) return false;
  const fields = ['id', 'authority', 'installationId', 'accountFrom', 'site'] as const;
  const isSame = fields.every((field) => current[field] === bound[field]);
  return (
    isSame &&
    isDeepStrictEqual(current.places, bound.places) &&
    (bound.id !== null || current.connectionId === bound.connectionId)
  );
};

type BindContext = Pick<IntegrationsContext, 'catalogue' | 'database'>;

const bindOne = async (
  context: BindContext,
  teamId: string,
  { provider, host = null, ...asked }: AskedAllow,
): Promise<Allowed> => {
  const [connection, methods, paths] = [asked.connection ?? null, asked.methods ?? null, asked.paths ?? null];
  const { api } = findProvider(context.catalogue, provider).record;
  if (!api) throw noApi();
  if (host !== null && !Object.hasOwn(api.hosts ?? {}, host)) throw hostUnknown(Object.keys(api.hosts ?? {}));
  const flaw = paths?.find((path) => parsePattern(path) === null);
  if (flaw !== undefined) throw patternInvalid(flaw);
  const allowed = { provider, connection, host, methods, paths };
  if (connection === null) return { ...allowed, account: null };
  const wanted = { teamId, provider, name: connection };
  const held = await getConnection(context.database, wanted);
  if (!held) throw await toNotConnected(context, wanted);
  return { ...allowed, account: accountOf(held, api) };
};

/** Checks what a token is to be allowed, and binds it to the accounts that the named connections have now. */
export const bindAllowed = async (
  context: BindContext,
  teamId: string,
  asked: readonly AskedAllow[],
): Promise<Allowed[]> => {
  const allow: Allowed[] = [];
  for (const one of asked) allow.push(await bindOne(context, teamId, one));
  return allow;
};
