import type { Caller, Role } from '../../http/index.ts';
import { BEFORE_IDS, deleteInPieces, type Queries, type Transaction, type Value } from '../../platform/index.ts';
import { isNotContained } from './contained-token-store.ts';
import { deleteCredentialsOfUser } from './credential-store.ts';
import { type Ended, endHandedBy } from './handed-store.ts';
import { untilNobodyNew } from './membership-store.ts';
import { markReclaimed } from './proof-store.ts';
import { isBeingErased, type Outside } from './team-store.ts';

export type User = {
  id: string;
  teamId: string;
  email: string | null;
  name: string | null;
  role: Role;
  /** The user's ID in the operator's product. Null for users that the operator's product didn't name. */
  key: string | null;
  /** The user's origin: Patchbay (known by email address), the identity provider, or the operator's product. */
  source: 'patchbay' | 'identity_provider' | 'operator';
  createdAt: number;
  signedInAt: number | null;
};

/** The issuer of users that the operator's product names. Their subject is their key. Other issuers are URLs. */
export const OPERATOR_ISSUER = 'operator';
/**
 * The subject of the operator's own user. It's empty, and a key never is. This user isn't listed as a member, so nobody
 * can remove it.
 */
export const OPERATOR_ITSELF = '';
/** SQL: the user's ID in the operator's product, or null. */
export const userKeyOf = (table: string): string =>
  `case when ${table}.issuer = '${OPERATOR_ISSUER}' and ${table}.subject <> '${OPERATOR_ITSELF}' then ${table}.subject end`;

const IS_MEMBER = `coalesce(subject, '-') <> '${OPERATOR_ITSELF}'`;

/** SQL: the user is neither removed nor in a team that is being erased. */
export const IS_HERE = `removed_at is null and not ${isBeingErased('users.team_id')}`;

type UserRow = Omit<User, 'source'> & { issuer: string | null };

const COLUMNS = `id, team_id as "teamId", email, name, role, ${userKeyOf('users')} as "key", issuer,
  created_at as "createdAt", signed_in_at as "signedInAt"`;

const sourceOf = (issuer: string | null): User['source'] => {
  if (issuer === null) return 'patchbay';
  return issuer === OPERATOR_ISSUER ? 'operator' : 'identity_provider';
};

const toUser = ({ issuer, ...row }: UserRow): User => ({ ...row, source: sourceOf(issuer) });

const getOne = async (queries: Queries, where: string, values: Value[]): Promise<User | undefined> => {
  const row = await queries.get<UserRow>(`select ${COLUMNS} from users where ${IS_HERE} and ${where}`, values);
  return row && toUser(row);
};

const getAll = async (queries: Queries, where: string, values: Value[]): Promise<User[]> =>
  (await queries.all<UserRow>(`select ${COLUMNS} from users where ${IS_HERE} and ${where}`, values)).map(toUser);

/**
 * Inserts a user. Throws UniqueViolation if the team already has a user with this email address. Returns 0 if the
 * identity provider's user already exists.
 */
export const insertUser = (queries: Queries, user: Omit<User, 'key'>, outside: Outside | null): Promise<number> =>
  queries.run(
    `insert into users (id, team_id, email, name, role, issuer, subject, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
     ${outside ? 'on conflict do nothing' : ''}`,
    [
      ...[user.id, user.teamId, user.email, user.name, user.role],
      ...[outside?.issuer ?? null, outside?.subject ?? null, user.createdAt],
    ],
  );

export const getUser = (queries: Queries, teamId: string, userId: string): Promise<User | undefined> =>
  getOne(queries, 'team_id = $1 and id = $2', [teamId, userId]);

/**
 * The session, connect session, or access token that a task such as a connect was begun with. Both are null for any
 * other credential.
 */
export type BegunWith = { sessionId: string | null; tokenId: string | null };

export const begunWith = ({ sessionId, connectSessionId, tokenId }: Caller): BegunWith => ({
  sessionId: sessionId ?? connectSessionId ?? null,
  tokenId: tokenId ?? null,
});

/** When a task was begun, and with what. */
export type Beginning = BegunWith & { begunAt: number };

/**
 * Finds the user who began a task. Undefined if another person may have begun it in the user's name, or if its session,
 * connect session, or access token has ended since. A session that only expired is fine: its row is kept for longer than
 * a connect takes.
 */
export const getUserWhoBegan = (
  queries: Queries,
  { teamId, userId }: { teamId: string; userId: string },
  { begunAt, sessionId, tokenId }: Beginning,
  now: number,
): Promise<User | undefined> => {
  const values: Value[] = [teamId, userId, begunAt];
  const add = (value: Value): string => `$${values.push(value)}`;
  const conditions = ['team_id = $1 and id = $2 and coalesce(reclaimed_at, 0) < $3'];
  // A session that has switched to another team of the same person keeps its ID.
  if (sessionId !== null) {
    const id = add(sessionId);
    conditions.push(`(exists (select 1 from sessions s where s.id = ${id})
      or exists (select 1 from connect_sessions c where c.id = ${id} and c.user_id = users.id))`);
  }
  if (tokenId !== null)
    conditions.push(`exists (select 1 from access_tokens t
      where t.id = ${add(tokenId)} and t.user_id = users.id and t.expires_at > ${add(now)} and ${isNotContained('t')})`);
  return getOne(queries, conditions.join(' and '), values);
};

const BEGUN_WITH = [
  ['users', 'userId'],
  ['sessions', 'sessionId'],
  ['connect_sessions', 'sessionId'],
  ['access_tokens', 'tokenId'],
] as const;

/**
 * Finds the user who began a task, like `getUserWhoBegan`, at the end of a transaction that may have waited for locks.
 * Locks the user and the session or token until the commit: whatever ends them is either visible here, or waits.
 * Call this after everything else, because others lock teams before users.
 */
export const lockUserWhoBegan = async (
  tx: Transaction,
  who: { teamId: string; userId: string },
  begun: Beginning,
  now: number,
): Promise<User | undefined> => {
  for (const [table, key] of BEGUN_WITH) {
    const id = { ...who, ...begun }[key];
    if (id !== null) await tx.get(`select id from ${table} where id = $1 for share`, [id]);
  }
  return getUserWhoBegan(tx, who, begun, now);
};

export const getUserForUpdate = (queries: Queries, teamId: string, userId: string): Promise<User | undefined> =>
  getOne(queries, 'team_id = $1 and id = $2 for update', [teamId, userId]);

/** Locks users, always in the same order, so that two transactions don't wait for each other. */
export const lockUsers = async (
  queries: Queries,
  users: readonly { teamId: string; userId: string }[],
): Promise<void> => {
  const sorted = users.toSorted((one, other) => (one.userId < other.userId ? -1 : 1));
  for (const { teamId, userId } of sorted) await getUserForUpdate(queries, teamId, userId);
};

export const getMember = (queries: Queries, teamId: string, userId: string): Promise<User | undefined> =>
  getOne(queries, `team_id = $1 and id = $2 and ${IS_MEMBER}`, [teamId, userId]);

export const findMemberByEmail = (queries: Queries, teamId: string, email: string): Promise<User | undefined> =>
  getOne(queries, 'team_id = $1 and email = $2 and issuer is null', [teamId, email]);

/** A team's only admin. Null if there are several or none. */
export const getOnlyAdmin = async (queries: Queries, teamId: string): Promise<User | null> => {
  const [admin, ...others] = await getAll(queries, `team_id = $1 and role = 'admin' limit 2`, [teamId]);
  return admin && others.length === 0 ? admin : null;
};

export const getFirstAdmin = (queries: Queries, teamId: string): Promise<User | undefined> =>
  getOne(queries, `team_id = $1 and role = 'admin' order by id limit 1`, [teamId]);

/**
 * The users with this email address in all teams. The team where the address was last verified comes first. Signing in
 * with a link that an admin handed over doesn't verify it.
 */
export const listUsersByEmail = (queries: Queries, email: string): Promise<User[]> =>
  getAll(queries, 'email = $1 and issuer is null order by coalesce(proved_at, 0) desc, created_at, id limit 100', [
    email,
  ]);

/**
 * Lists all users with this email address and locks them, so that no session of theirs can switch teams meanwhile.
 * Includes those that were added while this waited.
 */
export const listUsersByEmailForUpdate = (queries: Queries, email: string): Promise<User[]> =>
  untilNobodyNew(() => getAll(queries, 'email = $1 and issuer is null order by id for update', [email]));

/** Lists members, oldest first, starting after the given ID. */
export const listUsers = (queries: Queries, teamId: string, after: string | null, limit: number): Promise<User[]> =>
  getAll(queries, `team_id = $1 and id > $2 and ${IS_MEMBER} order by id limit $3`, [
    teamId,
    after ?? BEFORE_IDS,
    limit,
  ]);

/** `claimsIssuedAt`: when the newest token that changed the user was issued. Null if unknown. */
export type OutsideUser = User & { removed: boolean; claimsIssuedAt: number | null };

/** Finds a user, even a removed one, so that removed users aren't created again. */
export const findOutsideUser = async (
  queries: Queries,
  teamId: string,
  { issuer, subject }: Outside,
  lock: '' | 'for update' = '',
): Promise<OutsideUser | undefined> => {
  const row = await queries.get<UserRow & { removedAt: number | null; claimsIssuedAt: number | null }>(
    `select ${COLUMNS}, removed_at as "removedAt", claims_issued_at as "claimsIssuedAt"
       from users where team_id = $1 and issuer = $2 and subject = $3 ${lock}`,
    [teamId, issuer, subject],
  );
  if (!row) return undefined;
  const { removedAt, claimsIssuedAt, ...user } = row;
  return { ...toUser(user), removed: removedAt !== null, claimsIssuedAt };
};

type UserName = Pick<User, 'id' | 'email' | 'name' | 'key'> & { isOperator: 0 | 1; isRemoved: 0 | 1 };

/** The names of users, including removed ones. `isOperator` is 1 for the operator itself. */
export const listUserNames = (queries: Queries, teamId: string, ids: readonly string[]): Promise<UserName[]> =>
  queries.allFrom(
    { columns: { team_id: 'text', id: 'text' }, rows: ids.map((id) => [teamId, id]) },
    `select u.id, u.email, u.name, ${userKeyOf('u')} as "key", case when u.removed_at is null then 0 else 1 end as "isRemoved",
        case when u.issuer = '${OPERATOR_ISSUER}' and u.subject = '${OPERATOR_ITSELF}' then 1 else 0 end
        as "isOperator" from rows join users u on u.id = rows.id and u.team_id = rows.team_id`,
  );

/** Counts members, without users that the operator's product names, whose number isn't limited. */
export const countMembers = async (queries: Queries, teamId: string): Promise<number> => {
  const sql = `select count(*) as n from users
    where team_id = $1 and removed_at is null and coalesce(issuer, '') <> '${OPERATOR_ISSUER}'`;
  return (await queries.get<{ n: number }>(sql, [teamId]))?.n ?? 0;
};

export const updateUser = (queries: Queries, { teamId, id, role, name, email }: User): Promise<number> =>
  queries.run('update users set role = $1, name = $2, email = $3 where team_id = $4 and id = $5', [
    ...[role, name, email],
    ...[teamId, id],
  ]);

/** Updates a user from a token. Lock the user first, because a newer token may have changed it. */
export const updateOutsideUser = (
  queries: Queries,
  { teamId, id, role, name, email, claimsIssuedAt }: OutsideUser,
): Promise<number> =>
  queries.run(
    'update users set role = $1, name = $2, email = $3, claims_issued_at = $4 where team_id = $5 and id = $6',
    [role, name, email, claimsIssuedAt, teamId, id],
  );

/** Deletes all users of a team except one. */
export const deleteOtherUsers = (
  queries: Queries,
  teamId: string,
  keptId: string,
  pace: () => Promise<void>,
): Promise<number> =>
  deleteInPieces(queries, { from: 'users', key: 'id', where: 'team_id = $1 and id <> $2' }, [teamId, keptId], pace);

export const deleteUser = (queries: Queries, teamId: string, userId: string): Promise<number> =>
  queries.run('delete from users where team_id = $1 and id = $2', [teamId, userId]);

/**
 * Removes a user. The row stays, but all of the user's credentials are deleted, and so is what came from sign-in links
 * that the user made. Returns how much of the latter there was.
 */
export const removeUser = async (queries: Queries, teamId: string, userId: string, at: number): Promise<Ended> => {
  await queries.run('update users set removed_at = $1 where team_id = $2 and id = $3', [at, teamId, userId]);
  await deleteCredentialsOfUser(queries, { teamId, userId });
  return endHandedBy(queries, { teamId, userId });
};

/**
 * Restores a removed user. Lock the user first. Deletes credentials again, because one may have been created at the
 * moment of the removal. Also invalidates everything that the user had begun.
 */
export const restoreUser = async (queries: Queries, teamId: string, userId: string, at: number): Promise<void> => {
  await deleteCredentialsOfUser(queries, { teamId, userId });
  await markReclaimed(queries, { teamId, userId }, at);
  await queries.run('update users set removed_at = null where team_id = $1 and id = $2', [teamId, userId]);
};
