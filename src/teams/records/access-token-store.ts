import { AFTER_IDS, type Queries } from '../../platform/index.ts';
import { isNotContained } from './contained-token-store.ts';
import { deleteGrants } from './granted-token-store.ts';
import type { Holder } from './holder.ts';
import { parseRestriction, type StoredRestriction } from './restriction.ts';
import { userKeyOf } from './user-store.ts';

export type AccessToken = {
  id: string;
  name: string;
  userId: string;
  userEmail: string | null;
  userName: string | null;
  userKey: string | null;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
  /** The host of the client that a person granted it to through OAuth. Null for a token that was made by hand. */
  client: string | null;
  /** Whether a containment stops it. */
  isContained: boolean;
  /** What it can do, if it is restricted. */
  restriction: StoredRestriction | null;
};

type TokenRow = Omit<AccessToken, 'restriction' | 'isContained'> & { restriction: string | null; isFree: 0 | 1 };

const toToken = ({ restriction, isFree, ...row }: TokenRow): AccessToken => ({
  ...row,
  isContained: isFree === 0,
  restriction: parseRestriction(restriction),
});

const SELECT = `select t.id, t.name, t.user_id as "userId", u.email as "userEmail", u.name as "userName",
    ${userKeyOf('u')} as "userKey", t.created_at as "createdAt", t.expires_at as "expiresAt", t.used_at as "usedAt",
    t.client, t.restriction, case when ${isNotContained('t')} then 1 else 0 end as "isFree"
  from access_tokens t join users u on u.id = t.user_id`;

/** Which tokens to list: a team's, or one user's. `isRestricted`: only those that are restricted. */
type TokenFilter = { teamId: string; userId: string | null; isRestricted?: boolean };

/** Lists tokens, newest first, starting before the given ID. */
export const listAccessTokens = async (
  queries: Queries,
  { teamId, userId, isRestricted = false }: TokenFilter,
  before: string | null,
  limit: number,
): Promise<AccessToken[]> => {
  const which = `${userId === null ? '' : 'and t.user_id = $4'} ${isRestricted ? 'and t.restriction is not null' : ''}`;
  const sql = `${SELECT} where t.team_id = $1 and t.id < $2 ${which} order by t.id desc limit $3`;
  const values = [teamId, before ?? AFTER_IDS, limit, ...(userId === null ? [] : [userId])];
  return (await queries.all<TokenRow>(sql, values)).map(toToken);
};

/** Counts the tokens that are still valid. */
export const countAccessTokens = async (queries: Queries, { teamId, userId }: Holder, now: number): Promise<number> => {
  const sql = 'select count(*) as n from access_tokens where team_id = $1 and user_id = $2 and expires_at > $3';
  return (await queries.get<{ n: number }>(sql, [teamId, userId, now]))?.n ?? 0;
};

export const hasTokenNamed = async (queries: Queries, { teamId, userId }: Holder, name: string): Promise<boolean> => {
  const sql = 'select id from access_tokens where team_id = $1 and user_id = $2 and name = $3 limit 1';
  return (await queries.get(sql, [teamId, userId, name])) !== undefined;
};

export const getAccessToken = async (
  queries: Queries,
  teamId: string,
  tokenId: string,
): Promise<AccessToken | undefined> => {
  const row = await queries.get<TokenRow>(`${SELECT} where t.team_id = $1 and t.id = $2`, [teamId, tokenId]);
  return row && toToken(row);
};

/** Finds an access token of any team. */
export const getAccessTokenOfAny = async (
  queries: Queries,
  tokenId: string,
): Promise<(AccessToken & { teamId: string }) | undefined> => {
  const owner = await queries.get<{ teamId: string }>('select team_id as "teamId" from access_tokens where id = $1', [
    tokenId,
  ]);
  const token = owner && (await getAccessToken(queries, owner.teamId, tokenId));
  return token && { ...token, ...owner };
};

/** When a token expires. Undefined if it was revoked. */
export const getTokenExpiry = async (
  queries: Queries,
  teamId: string,
  tokenId: string,
): Promise<number | undefined> => {
  const sql = 'select expires_at as "expiresAt" from access_tokens where team_id = $1 and id = $2';
  return (await queries.get<{ expiresAt: number }>(sql, [teamId, tokenId]))?.expiresAt;
};

export const deleteAccessToken = (queries: Queries, teamId: string, tokenId: string): Promise<number> =>
  queries.run('delete from access_tokens where team_id = $1 and id = $2', [teamId, tokenId]);

/** Deletes a user's tokens, except those that the operator made. */
export const deleteUnprovedTokens = async (queries: Queries, { teamId, userId }: Holder): Promise<number> => {
  const unproved = 'team_id = $1 and user_id = $2 and by_operator = 0';
  const grants = await deleteGrants(queries, unproved, [teamId, userId]);
  return grants + (await queries.run(`delete from access_tokens where ${unproved}`, [teamId, userId]));
};

/** Records that a token was used, at most once a minute per token. */
export const markUsed = (queries: Queries, teamId: string, tokenId: string, now: number): Promise<number> =>
  queries.run(
    `update access_tokens set used_at = $1
      where team_id = $2 and id = $3 and (used_at is null or used_at < cast($1 as bigint) - 60000)`,
    [now, teamId, tokenId],
  );
