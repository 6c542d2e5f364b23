import { AFTER_IDS, type Queries, type Value } from '../../platform/index.ts';
import type { Visitor } from './holder.ts';
import { SAME_PERSON } from './membership-store.ts';
import { isBeingErased } from './team-store.ts';

/** The owner of sessions. `provingOnly`: only sessions that prove that the user owns the email address. */
type Owner = { teamId: string; userId: string; provingOnly?: boolean };

export type Session = {
  id: string;
  team: string;
  /** A name like "Chrome on Windows". Null if unknown. */
  device: string | null;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
  /** The name of the admin who made this session's sign-in link. Null if the user requested or received the link. */
  handedBy: string | null;
};

/**
 * Lists valid sessions, newest first, starting before the given ID. If the caller's session proves that they own the
 * email address, also lists such sessions in the person's other teams, because those can switch to this team.
 */
export const listSessions = (
  queries: Queries,
  { teamId, userId, sessionId }: Visitor,
  now: number,
  before: string | null,
  limit: number,
): Promise<Session[]> =>
  queries.all<Session>(
    `select id, device, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt",
            (select name from teams where teams.id = sessions.team_id) as team,
            (select coalesce(email, name, 'an admin') from users
              where users.team_id = sessions.team_id and users.id = sessions.handed_by) as "handedBy" from sessions
      where user_id in (select id from users where team_id = $1 and id = $2 union ${SAME_PERSON})
        and (user_id = $2 or proves_address = 1) and expires_at > $4 and id < $5 order by id desc limit $6`,
    [teamId, userId, sessionId ?? '', now, before ?? AFTER_IDS, limit],
  );

/** Whether the session is still valid. */
export const hasSession = async (
  queries: Queries,
  { teamId, userId }: Owner,
  sessionId: string,
  now: number,
): Promise<boolean> => {
  const sql = `select s.id from sessions s join users u on u.id = s.user_id
    where s.team_id = $1 and s.user_id = $2 and s.id = $3 and s.expires_at > $4 and u.removed_at is null
      and not ${isBeingErased('s.team_id')}`;
  return (await queries.get(sql, [teamId, userId, sessionId, now])) !== undefined;
};

export const getSession = (
  queries: Queries,
  { teamId, userId }: Owner,
  sessionId: string,
): Promise<{ expiresAt: number; provesAddress: 0 | 1; device: string | null } | undefined> =>
  queries.get(
    `select expires_at as "expiresAt", proves_address as "provesAddress", device from sessions
      where team_id = $1 and user_id = $2 and id = $3`,
    [teamId, userId, sessionId],
  );

/** Records that a session was used, at most once a minute per session. */
export const markSessionUsed = (queries: Queries, teamId: string, sessionId: string, now: number): Promise<number> =>
  queries.run(
    `update sessions set used_at = $1
      where team_id = $2 and id = $3 and (used_at is null or used_at < cast($1 as bigint) - 60000)`,
    [now, teamId, sessionId],
  );

/** Deletes a user's sessions, except the session `keptId` and the newest `others` of the rest. */
export const deleteOldSessions = (
  queries: Queries,
  { teamId, userId }: Owner,
  keptId: string,
  others: number,
): Promise<number> =>
  queries.run(
    `delete from sessions where id in (
      select id from sessions where team_id = $1 and user_id = $2 and id <> $3 order by id desc limit 1000 offset $4)`,
    [teamId, userId, keptId, others],
  );

const DELETE = 'delete from sessions where team_id = $1 and user_id = $2 and proves_address >= $4';

const valuesOf = ({ teamId, userId, provingOnly = false }: Owner, sessionId: string): Value[] => [
  ...[teamId, userId, sessionId],
  provingOnly ? 1 : 0,
];

export const deleteSession = (queries: Queries, owner: Owner, sessionId: string): Promise<number> =>
  queries.run(`${DELETE} and id = $3`, valuesOf(owner, sessionId));

export const deleteOtherSessions = (queries: Queries, owner: Owner, keptId: string): Promise<number> =>
  queries.run(`${DELETE} and id <> $3`, valuesOf(owner, keptId));

/** Called after the email address changes: sessions no longer prove that the user owns it. */
export const withdrawProofs = (queries: Queries, { teamId, userId }: Owner): Promise<number> =>
  queries.run('update sessions set proves_address = 0 where team_id = $1 and user_id = $2', [teamId, userId]);

/** Deletes sessions that don't prove that the user owns the email address. */
export const deleteUnprovedSessions = (queries: Queries, { teamId, userId }: Owner): Promise<number> =>
  queries.run('delete from sessions where team_id = $1 and user_id = $2 and proves_address = 0', [teamId, userId]);
