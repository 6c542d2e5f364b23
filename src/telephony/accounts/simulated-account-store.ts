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

/** For a statement about the calls, recordings or refusals of a team ($1): only real ones. */
export const REAL = 'account_id not in (select id from telephony_accounts where team_id = $1 and simulated = 1)';

/** Also one that was removed: it's there as long as its calls are. */
const hasOwn = (teamId: string): string =>
  `exists (select 1 from telephony_accounts own where own.team_id = ${teamId} and own.simulated = 0)`;

/**
 * The one rule about demo calls, for a statement that calls the calls like this: they count like any other until the team
 * adds an account of its own. From then on they are only shown, nobody waits because of one, and what a caller did in a
 * real call has nothing to do with them. See decision 057.
 */
export const counts = (calls: string): string => `not exists (select 1 from telephony_accounts demo
  where demo.id = ${calls}.account_id and demo.simulated = 1 and ${hasOwn('demo.team_id')})`;

export const COUNTS = counts('c');

/** The same about the call of `waiting_callers w`, which most teams ($1) needn't read for it. */
export const WAITER_COUNTS = `(not exists (select 1 from telephony_accounts where team_id = $1 and simulated = 1)
  or exists (select 1 from calls c where c.id = w.call_id and ${COUNTS}))`;

type DemoContext = { database: Queries };

/** Whether a team has demo calls that count, by the same rule. It has no others then. */
export const countsDemoCalls = async ({ database }: DemoContext, teamId: string): Promise<boolean> =>
  (await database.get(
    `select 1 as one from telephony_accounts a where a.team_id = $1 and a.simulated = 1
      and not ${hasOwn('a.team_id')} and exists (select 1 from calls c where c.account_id = a.id) limit 1`,
    [teamId],
  )) !== undefined;

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

/** Which of these calls a simulation made. */
export const listDemoCalls = async (queries: Queries, teamId: string, ids: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { team_id: 'text', id: 'text' }, rows: ids.map((id) => [teamId, id]) },
    `select c.id from rows join calls c on c.id = rows.id and c.team_id = rows.team_id
      join telephony_accounts a on a.id = c.account_id and a.simulated = 1`,
  );
  return rows.map(({ id }) => id);
};

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
