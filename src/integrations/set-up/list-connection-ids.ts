import type { ConnectionKey } from '../connections/connection.ts';
import { listConnections } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';

/** Lists a team's connections by their IDs, under which events about them are recorded. */
export const listConnectionIds = async (
  { database }: Pick<IntegrationsContext, 'database'>,
  teamId: string,
): Promise<(Pick<ConnectionKey, 'provider' | 'name'> & { id: string })[]> =>
  (await listConnections(database, teamId)).map(({ id, provider, name }) => ({ id, provider, name }));
