import type { Queries, Refusal } from '../../platform/index.ts';
import type { Account } from '../catalogue/schemas.ts';
import type { IntegrationsContext } from '../context.ts';
import { connectionAmbiguous, connectionLimit, connectionUnknown, notConnected } from '../errors.ts';
import type { Connection, ConnectionKey } from './connection.ts';
import { DEFAULT_CONNECTION } from './connection-name.ts';
import { countConnectionsOfTeam, getConnection, listConnectionNames } from './connection-store.ts';

/** How many names a refusal lists. More names don't help someone who mistyped one. */
const MOST_NAMES = 20;

/** The connection that a request is about. `name` is null if the request gives none. */
export type WantedConnection = Omit<ConnectionKey, 'name'> & { name: string | null };

/** Finds the connection that the request names, or else `default`, or else the only one. Undefined if there is none. */
export const findConnection = async (
  queries: Queries,
  { teamId, provider, name }: WantedConnection,
): Promise<Connection | undefined> => {
  const found = await getConnection(queries, { teamId, provider, name: name ?? DEFAULT_CONNECTION });
  if (found || name !== null) return found;
  const names = await listConnectionNames(queries, teamId, provider);
  if (names.length > 1) throw connectionAmbiguous(names);
  const [only] = names;
  return only === undefined ? undefined : getConnection(queries, { teamId, provider, name: only });
};

type Stored = Pick<IntegrationsContext, 'database'>;

/** Lists the existing names, for a request whose name doesn't exist. */
export const listNamesInstead = async (
  { database }: Stored,
  { teamId, provider, name }: WantedConnection,
): Promise<{ shown: string[]; more: number }> => {
  const names = name === null ? [] : await listConnectionNames(database, teamId, provider);
  const shown = names.slice(0, MOST_NAMES);
  return { shown, more: names.length - shown.length };
};

/** Makes the refusal for a request whose connection doesn't exist. */
export const toNotConnected = async (context: Stored, wanted: WantedConnection): Promise<Refusal> => {
  const { shown, more } = await listNamesInstead(context, wanted);
  return wanted.name === null || shown.length === 0 ? notConnected() : connectionUnknown(wanted.name, shown, more);
};

/** The account that is connected under a name. Null if there is no connection with that name. */
export const getHeldAccount = async ({ database }: Stored, key: ConnectionKey): Promise<Account | null> => {
  const held = await getConnection(database, key);
  return held ? { id: held.accountId, label: held.accountLabel } : null;
};

/** Refuses a new name if the team has reached its limit of connections. */
export const refuseWithoutRoom = async (
  { database, limits }: Pick<IntegrationsContext, 'database' | 'limits'>,
  key: ConnectionKey,
): Promise<void> => {
  if (await getHeldAccount({ database }, key)) return;
  if ((await countConnectionsOfTeam(database, key.teamId)) >= limits.connections)
    throw connectionLimit(limits.connections);
};
