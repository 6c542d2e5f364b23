import { deleteInPieces, type Queries } from '../../platform/index.ts';
import type { AccountName } from './account-store.ts';

const KEY = 'account_id, piece, reason, hint';

export const REFUSALS_KEPT_MS = 7 * 24 * 3_600_000;

/** Refusals are counted in pieces of 15 minutes. */
export const PIECE_MS = 900_000;

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

/** Lists a team's own accounts that have had refusals since this time, latest first. */
export const listRefusedAccounts = (queries: Queries, teamId: string, since: number, limit: number) =>
  queries.all<AccountName>(
    `select a.id, a.provider, a.external_id as "accountId"
      from telephony_refusals r join telephony_accounts a on a.id = r.account_id
      where r.team_id = $1 and r.piece >= $2 and r.last_at > $3 and a.removed_at is null and a.simulated = 0
      group by a.id, a.provider, a.external_id order by max(r.last_at) desc limit $4`,
    [teamId, Math.floor(since / PIECE_MS), since, limit],
  );

/** Lists an account's refusals since this time, latest first. */
export const listRefusals = async (
  queries: Queries,
  { teamId, accountId, since }: { teamId: string; accountId: string; since: number },
): Promise<RefusalCount[]> => {
  const rows = await queries.all<RefusalCount>(
    `select reason, hint, sum(count) as count, min(first_at) as "firstAt", max(last_at) as "lastAt"
      from telephony_refusals where team_id = $1 and account_id = $2 and piece >= $3
      group by reason, hint order by max(last_at) desc limit 50`,
    [teamId, accountId, Math.floor(since / PIECE_MS)],
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
};

export const deleteRefusalsBefore = (queries: Queries, before: number): Promise<number> =>
  deleteInPieces(queries, { from: 'telephony_refusals', key: KEY, where: 'piece < $1' }, [
    Math.floor(before / PIECE_MS),
  ]);

export const deleteRefusalsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'telephony_refusals', key: KEY, where: 'team_id = $1' }, [teamId], pace);
