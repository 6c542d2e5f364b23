import type { Role } from '../../http/index.ts';
import type { Queries } from '../../platform/index.ts';
import type { Visitor } from './holder.ts';

/** A team that a person is in. `invited`: the owner of the email address hasn't signed in there yet. */
export type Membership = { userId: string; teamId: string; teamName: string; role: Role; invited: boolean };

/**
 * The users that belong to the person with this session (team $1, user $2, session $3). Empty unless the session proves
 * that the person owns the email address: an inviter can sign in as an invited person, and must not learn which other
 * teams that person is in.
 */
export const SAME_PERSON = `select u.id from sessions s join users me on me.id = s.user_id join users u on u.email = me.email
  where s.team_id = $1 and s.user_id = $2 and s.id = $3 and s.proves_address = 1
    and me.issuer is null and me.removed_at is null and u.issuer is null and u.removed_at is null`;

/** Lists every team that a session may switch to, including its own. */
export const listMemberships = async (
  queries: Queries,
  { teamId, userId, sessionId }: Visitor,
): Promise<Membership[]> => {
  const rows = await queries.all<Omit<Membership, 'invited'> & { provedAt: number | null }>(
    `select u.id as "userId", u.team_id as "teamId", t.name as "teamName", u.role, u.proved_at as "provedAt"
       from users u join teams t on t.id = u.team_id where u.id in (${SAME_PERSON})
        and t.erasing_at is null order by case when u.proved_at is null then 1 else 0 end, t.name, u.id limit 100`,
    [teamId, userId, sessionId ?? ''],
  );
  return rows.map(({ provedAt, ...row }) => ({ ...row, invited: provedAt === null }));
};

/**
 * Lists and locks users until a list has nobody new. A list that waits for a lock doesn't see users that are added
 * meanwhile, and a session can move to one of those before the user that it leaves is locked. Once everybody on the
 * list is locked, no session can move anymore.
 */
export const untilNobodyNew = async <User>(listForUpdate: () => Promise<User[]>): Promise<User[]> => {
  for (let count = 0; ; ) {
    const users = await listForUpdate();
    if (users.length <= count) return users;
    count = users.length;
  }
};

/**
 * Lists all users of the same person and locks them, so that no session of the person can switch teams or begin
 * meanwhile. Includes teams that the person was added to while this waited. Always includes the caller's own user, even
 * if the session proves no address.
 */
export const listSamePersonForUpdate = (
  queries: Queries,
  { teamId, userId, sessionId }: Visitor,
): Promise<{ teamId: string; userId: string }[]> =>
  untilNobodyNew(() =>
    queries.all(
      `select id as "userId", team_id as "teamId" from users
        where id in (select id from users where team_id = $1 and id = $2 union ${SAME_PERSON}) order by id for update`,
      [teamId, userId, sessionId ?? ''],
    ),
  );
