import { deleteInPieces, type Queries } from '../../platform/index.ts';
import { type Credential, matchesDigest } from './credential.ts';
import { insertCredential } from './credential-store.ts';
import type { Holder } from './holder.ts';
import { isBeingErased } from './team-store.ts';

/** What a customer's user may connect, and until when. `providers` is null for all providers. */
export type ConnectSession = Holder & {
  providers: readonly string[] | null;
  returnTo: string | null;
  expiresAt: number;
};

export type ConnectSessionKind = 'bearer' | 'ticket' | 'page';

export const insertConnectSession = (
  queries: Queries,
  kind: ConnectSessionKind,
  credential: Credential,
  { providers, returnTo, expiresAt, ...holder }: ConnectSession,
  createdAt: number,
): Promise<number> =>
  insertCredential(queries, 'connect_sessions', credential, holder, {
    ...{ kind, providers: providers && JSON.stringify(providers), returnTo, createdAt, expiresAt },
  });

/** Finds a valid session by its ID. Then compares the digest of the secret, in constant time. */
export const findConnectSession = async (
  queries: Queries,
  kind: ConnectSessionKind,
  credential: Credential,
  now: number,
): Promise<ConnectSession | null> => {
  const row = await queries.get<Omit<ConnectSession, 'providers'> & { digest: string; providers: string | null }>(
    `select c.digest, c.providers, c.return_to as "returnTo", c.expires_at as "expiresAt",
            u.id as "userId", u.team_id as "teamId", u.role
       from connect_sessions c join users u on u.id = c.user_id
      where c.id = $1 and c.kind = $2 and c.expires_at > $3 and u.removed_at is null
        and not ${isBeingErased('u.team_id')}`,
    [credential.id, kind, now],
  );
  if (!row || !matchesDigest(credential, row.digest)) return null;
  const { digest: _, providers, ...session } = row;
  return { ...session, role: 'member', providers: providers === null ? null : JSON.parse(providers) };
};

/** Deletes a session. Returns 0 if another request was faster. */
export const deleteConnectSession = (queries: Queries, { teamId }: Holder, id: string): Promise<number> =>
  queries.run('delete from connect_sessions where team_id = $1 and id = $2', [teamId, id]);

export const hasConnectSession = async (queries: Queries, teamId: string, userId: string): Promise<boolean> => {
  const sql = 'select 1 as one from connect_sessions where team_id = $1 and user_id = $2 limit 1';
  return (await queries.get(sql, [teamId, userId])) !== undefined;
};

export const deleteConnectSessions = (queries: Queries, teamId: string, userId: string): Promise<number> =>
  deleteInPieces(queries, { from: 'connect_sessions', key: 'id', where: 'team_id = $1 and user_id = $2' }, [
    teamId,
    userId,
  ]);

/** Deletes a user's sessions of one kind, except the newest ones. */
export const deleteOldConnectSessions = (
  queries: Queries,
  kind: ConnectSessionKind,
  { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>,
  kept: number,
): Promise<number> =>
  queries.run(
    `delete from connect_sessions where id in (select id from connect_sessions
      where team_id = $1 and user_id = $2 and kind = $3 order by id desc limit 200 offset $4)`,
    [teamId, userId, kind, kept],
  );

/** Deletes sessions of all teams that expired before this time. */
export const deleteExpiredConnectSessions = (queries: Queries, before: number): Promise<number> =>
  deleteInPieces(queries, { from: 'connect_sessions', key: 'id', where: 'expires_at <= $1' }, [before]);
