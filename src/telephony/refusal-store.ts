import type { Queries } from '../platform/index.ts';

export type RefusalCount = { reason: string; hint: string; count: number; firstAt: number; lastAt: number };

export const addRefusals = (
  queries: Queries,
  teamId: string,
  accountId: string,
  { reason, hint, count, firstAt, lastAt }: RefusalCount,
): Promise<number> =>
  queries.run(
    `insert into telephony_refusals (account_id, team_id, reason, hint, count, first_at, last_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (account_id, reason, hint) do update
      set count = telephony_refusals.count + excluded.count, last_at = excluded.last_at`,
    [accountId, teamId, reason, hint, count, firstAt, lastAt],
  );

export const listRefusals = (queries: Queries, teamId: string, accountId: string): Promise<RefusalCount[]> =>
  queries.all<RefusalCount>(
    `select reason, hint, count, first_at as "firstAt", last_at as "lastAt" from telephony_refusals
      where team_id = $1 and account_id = $2 order by last_at desc limit 50`,
    [teamId, accountId],
  );
