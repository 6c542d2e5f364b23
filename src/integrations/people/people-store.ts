import type { Queries, Transaction } from '../../platform/index.ts';

/** What can be wrong with a provider that is asked about callers. */
export type PeopleProblem = 'not_allowed' | 'refused' | 'busy' | 'away' | 'unreadable' | 'stopped';

/** What a team has turned on for a connection. */
export type PeopleSettings = {
  connectionId: string;
  teamId: string;
  provider: string;
  /** The connection's name. */
  name: string;
  /** From when on callers are looked up, and after which position of the log. Null if they aren't. */
  lookupSince: number | null;
  lookupAfter: number | null;
  logSince: number | null;
  logAfter: number | null;
  /** When a caller was last found, when nobody was found, and when there were several. */
  foundAt: number | null;
  noneAt: number | null;
  severalAt: number | null;
  problem: PeopleProblem | null;
  problemAt: number | null;
  /** Failures in a row. */
  failures: number;
  pausedUntil: number | null;
};

const SELECT = `select p.connection_id as "connectionId", p.team_id as "teamId", p.provider, c.name as name,
    p.lookup_since as "lookupSince", p.lookup_after as "lookupAfter", p.log_since as "logSince",
    p.log_after as "logAfter", p.found_at as "foundAt", p.none_at as "noneAt", p.several_at as "severalAt",
    p.problem as problem, p.problem_at as "problemAt", p.failures as failures, p.paused_until as "pausedUntil"
  from connection_people p join connections c on c.id = p.connection_id`;
const IS_ON = '(p.lookup_since is not null or p.log_since is not null)';

export const getPeopleSettings = (
  queries: Queries,
  teamId: string,
  connectionId: string,
): Promise<PeopleSettings | undefined> =>
  queries.get<PeopleSettings>(`${SELECT} where p.team_id = $1 and p.connection_id = $2`, [teamId, connectionId]);

/** Lists what these teams have turned on, in a fixed order. */
export const listPeopleOfTeams = (queries: Queries, teamIds: readonly string[]): Promise<PeopleSettings[]> =>
  queries.allFrom<PeopleSettings>(
    { columns: { team_id: 'text' }, rows: teamIds.map((teamId) => [teamId]) },
    `${SELECT} where p.team_id in (select team_id from rows) and ${IS_ON} order by p.provider, c.name`,
  );

/** The earliest position of the log that anything that is turned on begins after. Null if nothing is. */
export const findFirstPosition = async (queries: Queries): Promise<number | null> => {
  const row = await queries.get<{ first: number | null }>(
    `select min(case when p.lookup_after is null or p.log_after < p.lookup_after then p.log_after else p.lookup_after end)
      as first from connection_people p where ${IS_ON}`,
  );
  return row?.first ?? null;
};

/** Whether anything is turned on, for any team. */
export const isAnythingOn = async (queries: Queries): Promise<boolean> =>
  (await queries.get(`select 1 as one from connection_people p where ${IS_ON} limit 1`)) !== undefined;

type Since = Pick<PeopleSettings, 'lookupSince' | 'lookupAfter' | 'logSince' | 'logAfter'>;

export const putPeopleSettings = (
  tx: Transaction,
  { connectionId, teamId, provider }: Pick<PeopleSettings, 'connectionId' | 'teamId' | 'provider'>,
  { lookupSince, lookupAfter, logSince, logAfter }: Since,
): Promise<number> =>
  tx.run(
    `insert into connection_people (connection_id, team_id, provider, lookup_since, lookup_after, log_since, log_after)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (connection_id) do update set lookup_since = excluded.lookup_since,
        lookup_after = excluded.lookup_after, log_since = excluded.log_since, log_after = excluded.log_after,
        problem = null, problem_at = null, failures = 0, paused_until = null`,
    [connectionId, teamId, provider, lookupSince, lookupAfter, logSince, logAfter],
  );

/** Deletes what was turned on for a connection. Returns 0 if there was nothing. */
export const deletePeopleSettings = (tx: Transaction, teamId: string, connectionId: string): Promise<number> =>
  tx.run('delete from connection_people where team_id = $1 and connection_id = $2', [teamId, connectionId]);

type Of = Pick<PeopleSettings, 'teamId' | 'connectionId'>;

/**
 * Whether callers are still looked up with a connection. Until the transaction ends, that can't be turned off, and the
 * connection can't be removed: whatever does so erases afterward what this transaction stores.
 */
export const lockLookup = async (tx: Transaction, { teamId, connectionId }: Of): Promise<boolean> => {
  const sql = `select lookup_since as "lookupSince" from connection_people
    where team_id = $1 and connection_id = $2 for update`;
  const row = await tx.get<Pick<PeopleSettings, 'lookupSince'>>(sql, [teamId, connectionId]);
  return row !== undefined && row.lookupSince !== null;
};

/** Notes that the provider has answered. */
export const noteAnswered = (queries: Queries, { teamId, connectionId }: Of): Promise<number> =>
  queries.run(
    `update connection_people set problem = null, problem_at = null, failures = 0, paused_until = null
      where team_id = $1 and connection_id = $2 and (problem is not null or failures > 0 or paused_until is not null)`,
    [teamId, connectionId],
  );

/** Notes a problem, and until when the provider isn't asked. */
export const noteProblem = (
  queries: Queries,
  { teamId, connectionId }: Of,
  { problem, now, pausedUntil }: { problem: PeopleProblem; now: number; pausedUntil: number | null },
): Promise<number> =>
  queries.run(
    `update connection_people set problem = $3, problem_at = $4, failures = failures + 1, paused_until = $5
      where team_id = $1 and connection_id = $2`,
    [teamId, connectionId, problem, now, pausedUntil],
  );

const COLUMN = { found: 'found_at', none: 'none_at', several: 'several_at' } as const;

/** Notes what a lookup has found. */
export const noteFound = (
  queries: Queries,
  { teamId, connectionId }: Of,
  result: keyof typeof COLUMN,
  now: number,
): Promise<number> =>
  queries.run(`update connection_people set ${COLUMN[result]} = $3 where team_id = $1 and connection_id = $2`, [
    teamId,
    connectionId,
    now,
  ]);
