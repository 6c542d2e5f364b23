import { getConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { readHandOuts } from './exposure/hand-outs.ts';
import { listConnectionsUsedWith } from './exposure/use-store.ts';
import { type ConnectionFilter, listMatchingOf, type MatchingConnection } from './matching-store.ts';

/**
 * Lists the connections that an access token was used with, as far as it's known: requests were made with it, or the
 * provider's own access token was handed out for it. Of the team's hand-outs, looks at the `newest`.
 */
export const listUsedConnections = async (
  context: Pick<IntegrationsContext, 'database'>,
  filter: ConnectionFilter & { ofTeamId: string },
  tokenId: string,
  newest: number,
): Promise<MatchingConnection[]> => {
  const { database } = context;
  const { ofTeamId: teamId } = filter;
  const ids = new Set(await listConnectionsUsedWith(database, teamId, tokenId));
  const names = new Map<string, { provider: string; name: string }>();
  let left = newest;
  for await (const { provider, connection: name, token } of readHandOuts(context, teamId)) {
    if (token?.id === tokenId) names.set(`${provider} ${name}`, { provider, name });
    if (--left <= 0) break;
  }
  for (const { provider, name } of names.values()) {
    const handedOut = await getConnection(database, { teamId, provider, name });
    if (handedOut) ids.add(handedOut.id);
  }
  return listMatchingOf(database, filter, [...ids]);
};
