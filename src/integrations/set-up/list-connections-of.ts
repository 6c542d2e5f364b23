import { getUser } from '../../teams/index.ts';
import { listConnectionsTo } from '../connections/connection-store.ts';
import { describeConnection, type Integration } from '../connections/status.ts';
import type { IntegrationsContext } from '../context.ts';

/** Lists a team's connections to one provider as the status does, without reading its others. `default` comes first. */
export const listConnectionsOf = async (
  context: IntegrationsContext,
  teamId: string,
  providerId: string,
): Promise<Integration[]> => {
  const { database } = context;
  const connections = await listConnectionsTo(database, teamId, providerId);
  const userIds = [...new Set(connections.map(({ connectedBy }) => connectedBy))];
  const users = await Promise.all(userIds.map((id) => getUser(database, teamId, id)));
  const starters = new Map(users.map((user, index) => [userIds[index], user ?? null]));
  return Promise.all(
    connections.map((connection) =>
      describeConnection(context, database, connection, starters.get(connection.connectedBy) ?? null),
    ),
  );
};
