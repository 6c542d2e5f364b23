import type { Queries } from '../../platform/index.ts';

/**
 * Lists grants that no client can use any more: nobody redeemed the code, or the refresh token expired. `begunBefore`
 * leaves those in peace that are just being redeemed.
 */
export const listUnusableGrants = (
  queries: Queries,
  { begunBefore, now, limit }: { begunBefore: number; now: number; limit: number },
) =>
  queries.all<{ grantId: string; payload: string }>(
    `select g.grant_id as "grantId", g.payload from agent_issued g
      where g.kind = 'Grant' and g.created_at < $1 and not exists (
        select 1 from agent_issued t where t.grant_id = g.grant_id and t.kind = 'RefreshToken' and t.expires_at > $2
      ) order by g.created_at limit $3`,
    [begunBefore, now, limit],
  );
