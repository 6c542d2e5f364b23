import type { Queries } from '../../platform/index.ts';
import { getAccessToken } from '../records/access-token-store.ts';
import type { Visitor } from '../records/holder.ts';
import { hasSession } from '../records/session-store.ts';
import { getUser } from '../records/user-store.ts';

/**
 * Whether a caller is still in the team and their session or token is still valid. Checks the database, because callers
 * are cached for up to a second, and because some work goes on after the request.
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
  return token !== undefined && token.expiresAt > now && !token.isContained;
};
