import type { Allowed, AllowedAccount } from '../../../http/index.ts';
import type { AskedAllow } from '../../../teams/index.ts';
import { findProvider } from '../../catalogue/catalogue.ts';
import { type Connection, isOtherInstallation } from '../../connections/connection.ts';
import { getConnection } from '../../connections/connection-store.ts';
import { toNotConnected } from '../../connections/find-connection.ts';
import type { IntegrationsContext } from '../../context.ts';
import { hostUnknown, noApi, patternInvalid } from '../errors.ts';
import { parsePattern } from './path-pattern.ts';

const accountOf = (connection: Connection): AllowedAccount => {
  const { id: connectionId, connectedAt, accountId: id, accountLabel: label } = connection;
  const { installationId, accountFrom, authority } = connection;
  return { id, label, installationId, accountFrom, authority, connectionId, connectedAt };
};

/**
 * Whether a connection is still for the account that it had when the token was made. If that account was unknown, the
 * consent has to be the same.
 */
export const isBoundTo = (bound: AllowedAccount, current: Connection): boolean => {
  if (bound.id === null) return current.id === bound.connectionId && current.connectedAt === bound.connectedAt;
  const isSame = current.accountId === bound.id && current.authority === bound.authority;
  return isSame && !isOtherInstallation(bound, current);
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
  return { ...allowed, account: accountOf(held) };
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
