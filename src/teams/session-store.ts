import type { Queries } from '../platform/index.ts';

/** Whose sessions. */
type Owner = { teamId: string; userId: string };

export type Session = { id: string; createdAt: number; expiresAt: number };

/** Those that still let their user in, newest first. */
export const listSessions = (queries: Queries, { teamId, userId }: Owner, now: number): Promise<Session[]> =>
  queries.all<Session>(
    `select id, created_at as "createdAt", expires_at as "expiresAt" from sessions
      where team_id = $1 and user_id = $2 and expires_at > $3 order by created_at desc, id desc limit 1000`,
    [teamId, userId, now],
  );

export const deleteSession = (queries: Queries, { teamId, userId }: Owner, sessionId: string): Promise<number> =>
  queries.run('delete from sessions where team_id = $1 and user_id = $2 and id = $3', [teamId, userId, sessionId]);

export const deleteOtherSessions = (queries: Queries, { teamId, userId }: Owner, keptId: string): Promise<number> =>
  queries.run('delete from sessions where team_id = $1 and user_id = $2 and id <> $3', [teamId, userId, keptId]);
