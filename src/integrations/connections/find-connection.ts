import type { Queries } from '../../platform/index.ts';
import { connectionAmbiguous } from '../errors.ts';
import type { Connection, ConnectionKey } from './connection.ts';
import { DEFAULT_CONNECTION } from './connection-name.ts';
import { getConnection, listConnectionsTo } from './connection-store.ts';

/** Which connection a request is about. Null if it doesn't say. */
export type WantedConnection = Omit<ConnectionKey, 'name'> & { name: string | null };

/** The one that the request names, or else `default`, or else the only one. Undefined if there is none. */
export const findConnection = async (
  queries: Queries,
  { teamId, provider, name }: WantedConnection,
): Promise<Connection | undefined> => {
  const found = await getConnection(queries, { teamId, provider, name: name ?? DEFAULT_CONNECTION });
  if (found || name !== null) return found;
  const others = await listConnectionsTo(queries, teamId, provider);
  if (others.length > 1) throw connectionAmbiguous(others.map((other) => other.name));
  return others[0];
};
