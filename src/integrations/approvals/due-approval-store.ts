import type { Queries } from '../../platform/index.ts';
import type { Approval, ApprovalState } from './approval.ts';

type Which = Pick<Approval, 'teamId' | 'id'>;

/** A request that is due, since then. */
export type DueApproval = Which & Pick<Approval, 'begunAt'> & { since: number };

export type DueKind = 'expired' | 'abandoned';

/** `expired`: their time is over. `abandoned`: they are approved, but their process has given up or died. */
const DUE: Record<DueKind, { state: ApprovalState; since: string }> = {
  expired: { state: 'waiting', since: 'expires_at' },
  abandoned: { state: 'sending', since: 'lease_until' },
};

/** Lists requests of all teams that are due, the oldest first, starting after the given one. */
export const listDue = (
  queries: Queries,
  kind: DueKind,
  { now, after, limit }: { now: number; after: DueApproval | null; limit: number },
): Promise<DueApproval[]> => {
  const { state, since } = DUE[kind];
  return queries.all(
    `select team_id as "teamId", id, begun_at as "begunAt", ${since} as since from approvals
      where state = '${state}' and ${since} <= $1 and (${since}, id) > ($2, $3) order by ${since}, id limit $4`,
    [now, after?.since ?? 0, after?.id ?? '', limit],
  );
};

/** Lists requests that wait although their token has ended. */
export const listOrphaned = (queries: Queries, limit: number): Promise<Which[]> =>
  queries.all(
    `select a.team_id as "teamId", a.id as id from approval_tokens t
      join approvals a on a.team_id = t.team_id and a.token_id = t.id and a.state = 'waiting'
      where t.living_id is null limit $1`,
    [limit],
  );
