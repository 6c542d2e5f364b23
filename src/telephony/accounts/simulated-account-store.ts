import type { Queries } from '../../platform/index.ts';

/** The account that stands in for this provider. */
export const findSimulated = (
  queries: Queries,
  teamId: string,
  provider: string,
): Promise<{ id: string } | undefined> =>
  queries.get(
    `select id from telephony_accounts
      where team_id = $1 and provider = $2 and simulated = 1 and removed_at is null order by id limit 1`,
    [teamId, provider],
  );

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

const OWN = 'from telephony_accounts where team_id = $1 and simulated = 0 and removed_at is null';

/** Whether the team has an account that isn't simulated. */
export const hasOwnAccount = async (queries: Queries, teamId: string): Promise<boolean> =>
  (await queries.get(`select 1 as one ${OWN} limit 1`, [teamId])) !== undefined;

/** For a statement about the calls, recordings or refusals of a team ($1): only real ones. */
export const REAL = 'account_id not in (select id from telephony_accounts where team_id = $1 and simulated = 1)';

/** For a statement about who waits: demo callers do, until the team has an account of its own. */
export const MAY_WAIT = `(${REAL} or not exists (select 1 ${OWN}))`;

type DemoContext = { database: Queries };

/** Whether a team has demo calls and no others, so that there is nothing else to show. */
export const hasOnlyDemoCalls = async ({ database }: DemoContext, teamId: string): Promise<boolean> =>
  (await hasSimulatedCalls(database, teamId)) &&
  (await database.get(`select 1 as one from calls where team_id = $1 and ${REAL} limit 1`, [teamId])) === undefined;

/** Whether a team has demo calls in this time. */
export const hasDemoCalls = async (
  { database }: DemoContext,
  teamId: string,
  { startsAt, endsAt }: { startsAt: number; endsAt: number },
): Promise<boolean> =>
  (await database.get(
    `select 1 as one from telephony_accounts a where a.team_id = $1 and a.simulated = 1
      and exists (select 1 from calls c where c.account_id = a.id and c.team_id = a.team_id
        and c.started_at >= $2 and c.started_at < $3) limit 1`,
    [teamId, startsAt, endsAt],
  )) !== undefined;

/** Which of the accounts that these calls belong to were made by a simulation. */
export const listSimulatedAmong = async (
  queries: Queries,
  calls: readonly { teamId: string; accountId: string }[],
): Promise<string[]> => {
  const accounts = new Map(calls.map(({ teamId, accountId }) => [accountId, [teamId, accountId]]));
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { team_id: 'text', id: 'text' }, rows: [...accounts.values()] },
    'select id from telephony_accounts where (team_id, id) in (select team_id, id from rows) and simulated = 1',
  );
  return rows.map(({ id }) => id);
};

/** The same for a statement about `waiting_callers w` that doesn't read the calls. */
export const NO_DEMO_CALL = `(not exists (select 1 from telephony_accounts where team_id = $1 and simulated = 1)
  or not exists (select 1 ${OWN})
  or not exists (select 1 from calls d where d.id = w.call_id and d.account_id in (
    select id from telephony_accounts where team_id = $1 and simulated = 1)))`;
