import type { Queries, Transaction } from '../../platform/index.ts';

/** How far the log of events has been read for callers and calls. */
export const getPeoplePlace = async (queries: Queries): Promise<number> =>
  (await queries.get<{ position: number }>('select position from call_people_place where id = 1'))?.position ?? 0;

/** Moves on. Returns 0 if another process has read further meanwhile. */
export const movePeoplePlace = (tx: Transaction, from: number, to: number): Promise<number> =>
  tx.run('update call_people_place set position = $2 where id = 1 and position = $1', [from, to]);

type Turn = { teamId: string; connectionId: string };

/** Takes the turn to log calls with a connection, or keeps it. Returns 0 if another process has it. */
export const takeLogTurn = (
  queries: Queries,
  { teamId, connectionId }: Turn,
  { now, until, held }: { now: number; until: number; held: number },
): Promise<number> =>
  queries.run(
    `insert into call_log_turns (connection_id, team_id, lease_until) values ($1, $2, $3)
      on conflict (connection_id) do update set lease_until = excluded.lease_until
        where call_log_turns.lease_until <= $4 or call_log_turns.lease_until = $5`,
    [connectionId, teamId, until, now, held],
  );

/** Gives the turn back. */
export const endLogTurn = (queries: Queries, { teamId, connectionId }: Turn, held: number): Promise<number> =>
  queries.run('delete from call_log_turns where connection_id = $1 and team_id = $2 and lease_until = $3', [
    connectionId,
    teamId,
    held,
  ]);
