import type { Queries } from '../../platform/index.ts';

export const markSimulated = (queries: Queries, teamId: string, id: string): Promise<number> =>
  queries.run('update telephony_accounts set simulated = 1 where team_id = $1 and id = $2', [teamId, id]);

/** Also those that were removed, whose calls may still be there. */
export const listSimulated = (queries: Queries, teamId: string): Promise<{ id: string; removedAt: number | null }[]> =>
  queries.all(
    'select id, removed_at as "removedAt" from telephony_accounts where team_id = $1 and simulated = 1 order by id',
    [teamId],
  );

/** Whether any of them has a call. */
export const hasSimulatedCalls = async (queries: Queries, teamId: string): Promise<boolean> =>
  (await queries.get(
    `select 1 as one from telephony_accounts a where a.team_id = $1 and a.simulated = 1
      and exists (select 1 from calls c where c.account_id = a.id) limit 1`,
    [teamId],
  )) !== undefined;

/** For a statement about the calls or recordings of a team ($1): only real ones. */
export const REAL = 'account_id not in (select id from telephony_accounts where team_id = $1 and simulated = 1)';
