import { deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';
import type { Event } from './event.ts';
import { deletePayloads } from './payloads/payload-store.ts';

/** Events up to `position` can be read. Events up to `pruned` are deleted. */
type LogEnds = { position: number; pruned: number };

const ONE = 'where id = 1';

export const getLogEnds = async (queries: Queries): Promise<LogEnds> =>
  (await queries.get<LogEnds>(`select position, pruned from event_log ${ONE}`)) ?? { position: 0, pruned: 0 };

/** Where the log ends, and the latest time in it. */
export type LogEnd = { position: number; latest: number };

/** Locks the log. The next process that numbers events waits until this transaction has ended. */
export const lockLog = async (tx: Transaction): Promise<LogEnd> =>
  (await tx.get<LogEnd>(`update event_log set position = position ${ONE} returning position, latest`)) ?? {
    position: 0,
    latest: 0,
  };

export const putLogEnd = (tx: Transaction, { position, latest }: LogEnd): Promise<number> =>
  tx.run(`update event_log set position = $1, latest = $2 ${ONE}`, [position, latest]);

/**
 * Makes a copy of the log, such as a restored backup, continue at a position that the original hasn't reached.
 * Otherwise, a reader whose cursor is from the original could miss events of the copy. The time in milliseconds is such
 * a position, because there's never an event per millisecond.
 */
export const leaveGap = async (tx: Transaction, now: number): Promise<void> => {
  await tx.run(`update event_log set position = case when position < $1 then $1 else position + 1 end ${ONE}`, [now]);
};

export type Unnumbered = Pick<Event, 'id' | 'teamId' | 'teamKey' | 'type' | 'createdAt'>;

export const hasUnnumbered = async (queries: Queries): Promise<boolean> =>
  (await queries.get('select id from events where position is null limit 1')) !== undefined;

/** Events without a position, in the order in which they were recorded. Between processes, their clocks decide. */
export const listUnnumbered = (tx: Transaction, limit: number): Promise<Unnumbered[]> =>
  tx.all<Unnumbered>(
    `select id, team_id as "teamId", team_key as "teamKey", type, created_at as "createdAt" from events
      where position is null order by stamp, id limit $1`,
    [limit],
  );

export type Numbered = Pick<Unnumbered, 'id' | 'teamKey'> & { position: number; sequence: number };

export const putNumbers = (tx: Transaction, numbered: readonly Numbered[]): Promise<number> =>
  tx.runFrom(
    {
      columns: { id: 'text', position: 'bigint', sequence: 'bigint', team_key: 'text' },
      rows: numbered.map(({ id, position, sequence, teamKey }) => [id, position, sequence, teamKey]),
    },
    `update events set position = rows.position, sequence = rows.sequence, team_key = rows.team_key
      from rows where events.id = rows.id`,
  );

export type TeamEnd = { teamId: string; sequence: number; position: number };

export const listTeamEnds = (queries: Queries, teamIds: readonly string[]): Promise<TeamEnd[]> =>
  queries.allFrom<TeamEnd>(
    { columns: { team_id: 'text' }, rows: teamIds.map((teamId) => [teamId]) },
    `select team_id as "teamId", sequence, position from event_teams where team_id in (select team_id from rows)`,
  );

export const putTeamEnds = (tx: Transaction, ends: readonly TeamEnd[]): Promise<number> =>
  tx.runFrom(
    {
      columns: { team_id: 'text', sequence: 'bigint', position: 'bigint' },
      rows: ends.map(({ teamId, sequence, position }) => [teamId, sequence, position]),
    },
    `insert into event_teams (team_id, sequence, position) select team_id, sequence, position from rows where true
      on conflict (team_id) do update set sequence = excluded.sequence, position = excluded.position`,
  );

export const deleteTeamEnds = (queries: Queries, teamIds: readonly string[]): Promise<number> =>
  queries.runFrom(
    { columns: { team_id: 'text' }, rows: teamIds.map((teamId) => [teamId]) },
    'delete from event_teams where team_id in (select team_id from rows)',
  );

/** The first events after a position. */
export const listOldest = (
  queries: Queries,
  after: number,
  limit: number,
): Promise<{ position: number; createdAt: number }[]> =>
  queries.all('select position, created_at as "createdAt" from events where position > $1 order by position limit $2', [
    after,
    limit,
  ]);

/** Stores up to where events are deleted. From then on, readers behind this position are refused. */
export const raisePruned = (queries: Queries, pruned: number): Promise<number> =>
  queries.run('update event_log set pruned = $1 where id = 1 and pruned < $1', [pruned]);

/** Deletes old events, a few at a time. Deletes their attempts and payloads first, because there may be very many. */
export const deleteEventsUpTo = async (queries: Queries, position: number): Promise<void> => {
  const old = 'select id from events where position <= $1';
  await deleteInPieces(queries, { from: 'event_attempts', key: 'id', where: `event_id in (${old})` }, [position]);
  await deletePayloads(queries, old, [position]);
  await deleteInPieces(queries, { from: 'events', key: 'id', where: 'position <= $1', along: 'position' }, [position]);
  await deleteInPieces(queries, { from: 'event_log_turns', key: 'position', where: 'position <= $1' }, [position]);
};
