import type { Queries } from '../../platform/index.ts';
import { getAccessToken } from './access-token-store.ts';
import type { Visitor } from './holder.ts';
import { hasSession } from './session-store.ts';
import { getUser } from './user-store.ts';

/**
 * Whether a caller is still in the team and their credential still exists. For work that outlasts a request, and
 * because a caller stays cached for up to a second after a session or token has ended.
 */
export const isStillIn = async (
  queries: Queries,
  { sessionId, tokenId, ...user }: Visitor,
  now: number,
): Promise<boolean> => {
  if (sessionId !== undefined) return hasSession(queries, user, sessionId, now);
  if (!(await getUser(queries, user.teamId, user.userId))) return false;
  if (tokenId === undefined) return true;
  const token = await getAccessToken(queries, user.teamId, tokenId);
  return token !== undefined && token.expiresAt > now;
};
