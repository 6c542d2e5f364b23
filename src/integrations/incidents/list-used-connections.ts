import { getConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { readHandOuts } from './exposure/hand-outs.ts';
import { listConnectionsUsedWith } from './exposure/use-store.ts';
import { type ConnectionFilter, listMatchingOf, type MatchingConnection } from './matching-store.ts';

/**
 * Lists the connections that an access token was used with, as far as it's known: requests were made with it, or the
 * provider's own access token was handed out for it.
 */
export const listUsedConnections = async (
  context: Pick<IntegrationsContext, 'database'>,
  filter: ConnectionFilter & { ofTeamId: string },
  tokenId: string,
): Promise<MatchingConnection[]> => {
  const { database } = context;
  const { ofTeamId: teamId } = filter;
  const ids = new Set(await listConnectionsUsedWith(database, teamId, tokenId));
  for await (const { provider, connection: name, token } of readHandOuts(context, teamId)) {
    const handedOut = token?.id === tokenId ? await getConnection(database, { teamId, provider, name }) : undefined;
    if (handedOut) ids.add(handedOut.id);
  }
  return listMatchingOf(database, filter, [...ids]);
};
