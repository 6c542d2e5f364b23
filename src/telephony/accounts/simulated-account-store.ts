import type { Queries } from '../../platform/index.ts';

/** Finds the simulated account of this provider. */
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

/** Lists simulated accounts, including removed ones, because their calls may still exist. */
export const listSimulated = (queries: Queries, teamId: string): Promise<{ id: string; removedAt: number | null }[]> =>
  queries.all(
    'select id, removed_at as "removedAt" from telephony_accounts where team_id = $1 and simulated = 1 order by id',
    [teamId],
  );

export const hasSimulatedCalls = async (queries: Queries, teamId: string): Promise<boolean> =>
  (await queries.get(
    `select 1 as one from telephony_accounts a where a.team_id = $1 and a.simulated = 1
      and exists (select 1 from calls c where c.account_id = a.id) limit 1`,
    [teamId],
  )) !== undefined;

/** SQL condition for calls, recordings, or refusals of a team ($1): only real ones, not simulated. */
export const REAL = 'account_id not in (select id from telephony_accounts where team_id = $1 and simulated = 1)';

/** SQL condition: the team has an account of its own. A removed one is enough, because its calls may still be there. */
const hasOwn = (teamId: string): string =>
  `exists (select 1 from telephony_accounts own where own.team_id = ${teamId} and own.simulated = 0)`;

/**
 * SQL condition for calls that count, which means that figures include them and that they may need a call back. Demo
 * calls count until the team adds an account of its own. From then on, they are only shown. See decision 057. `calls`
 * is the alias of the table in the statement.
 */
export const counts = (calls: string): string => `not exists (select 1 from telephony_accounts demo
  where demo.id = ${calls}.account_id and demo.simulated = 1 and ${hasOwn('demo.team_id')})`;

export const COUNTS = counts('c');

/**
 * SQL condition: the call of `waiting_callers w` counts (see `counts`). Most teams have no demo calls, and for those
 * ($1), `calls` isn't queried.
 */
export const WAITER_COUNTS = `(not exists (select 1 from telephony_accounts where team_id = $1 and simulated = 1)
  or exists (select 1 from calls c where c.id = w.call_id and ${COUNTS}))`;

type DemoContext = { database: Queries };

/** Whether a team has demo calls that count (see `counts`). If so, all its calls are demo calls. */
export const countsDemoCalls = async ({ database }: DemoContext, teamId: string): Promise<boolean> =>
  (await database.get(
    `select 1 as one from telephony_accounts a where a.team_id = $1 and a.simulated = 1
      and not ${hasOwn('a.team_id')} and exists (select 1 from calls c where c.account_id = a.id) limit 1`,
    [teamId],
  )) !== undefined;

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

/** Lists which of these calls a simulation made. */
export const listDemoCalls = async (queries: Queries, teamId: string, ids: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { team_id: 'text', id: 'text' }, rows: ids.map((id) => [teamId, id]) },
    `select c.id from rows join calls c on c.id = rows.id and c.team_id = rows.team_id
      join telephony_accounts a on a.id = c.account_id and a.simulated = 1`,
  );
  return rows.map(({ id }) => id);
};

/** Lists which accounts of these calls were made by a simulation. */
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
