import type { Queries } from '../../platform/index.ts';

/** `isRedeemed`: whether a client has a refresh token of it. */
export type UnseenGrant = { digest: string; grantId: string; payload: string; isRedeemed: 1 | null };

/**
 * Lists grants at which nobody has looked since they were begun. `begunBefore` leaves those in peace that are just being
 * redeemed. They have an index of their own, which is in this order. With `exists`, PostgreSQL would read the refresh
 * tokens of all grants first.
 */
export const listUnseenGrants = (
  queries: Queries,
  { begunBefore, now, limit }: { begunBefore: number; now: number; limit: number },
) =>
  queries.all<UnseenGrant>(
    `select g.digest, g.grant_id as "grantId", g.payload, (
        select 1 from agent_issued t
          where t.grant_id = g.grant_id and t.kind = 'RefreshToken' and t.expires_at > $2 limit 1) as "isRedeemed"
      from agent_issued g
      where g.kind = 'Grant' and g.consumed_at is null and g.created_at < $1
      order by g.consumed_at, g.created_at limit $3`,
    [begunBefore, now, limit],
  );

/** Notes that somebody has looked at them. */
export const markSeen = (queries: Queries, grants: readonly UnseenGrant[]): Promise<number> =>
  queries.runFrom(
    { columns: { digest: 'text' }, rows: grants.map(({ digest }) => [digest]) },
    'update agent_issued set consumed_at = created_at where digest in (select digest from rows)',
  );
