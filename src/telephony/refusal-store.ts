import type { Queries } from '../platform/index.ts';
import { PIECE_MS } from './call-figures-store.ts';

export type RefusalCount = { reason: string; hint: string; count: number; firstAt: number; lastAt: number };

export const addRefusals = (
  queries: Queries,
  teamId: string,
  accountId: string,
  { reason, hint, count, firstAt, lastAt }: RefusalCount,
): Promise<number> =>
  queries.run(
    `insert into telephony_refusals (account_id, piece, reason, hint, team_id, count, first_at, last_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (account_id, piece, reason, hint) do update
      set count = telephony_refusals.count + excluded.count, last_at = excluded.last_at`,
    [accountId, Math.floor(lastAt / PIECE_MS), reason, hint, teamId, count, firstAt, lastAt],
  );

export const listRefusals = async (queries: Queries, teamId: string, accountId: string): Promise<RefusalCount[]> => {
  const rows = await queries.all<RefusalCount>(
    `select reason, hint, sum(count) as count, min(first_at) as "firstAt", max(last_at) as "lastAt"
      from telephony_refusals where team_id = $1 and account_id = $2
      group by reason, hint order by max(last_at) desc limit 50`,
    [teamId, accountId],
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
};
