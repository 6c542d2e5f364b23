import { defineRow, deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';
import type { Event, EventType } from './event.ts';

const NEW_EVENT = defineRow({
  id: 'text',
  teamId: 'text',
  teamKey: 'text',
  type: 'text',
  subject: 'text',
  data: 'text',
  stamp: 'bigint',
  firstStamp: 'bigint',
  createdAt: 'bigint',
});

export type NewEventRow = Omit<Event, 'position' | 'sequence'> & { stamp: number };

/**
 * SQL: the highest stamp of earlier events about the same subject, among those without a position. The new event gets a
 * higher stamp, so that it comes after them even if another process, whose clock is ahead, recorded them. Only stamps
 * that aren't below the new event's own have to be searched, which is quick.
 */
const LATER_STAMP = `(select max(known.stamp) from events known where known.team_id = rows.team_id
  and known.subject = rows.subject and known.position is null and known.stamp >= rows.first_stamp)`;

export const insertEvents = (tx: Transaction, rows: readonly NewEventRow[]): Promise<number> =>
  tx.runFrom(
    NEW_EVENT.toTable(rows.map((row) => ({ ...row, firstStamp: rows[0]?.stamp ?? row.stamp }))),
    `insert into events (id, team_id, team_key, type, subject, data, stamp, created_at)
      select id, team_id, team_key, type, subject, data,
        coalesce(${LATER_STAMP} + 1 + stamp - first_stamp, stamp), created_at
      from rows where true`,
  );

const SELECTED = `id, team_id as "teamId", team_key as "teamKey", type, subject, data, created_at as "createdAt",
  position, sequence`;

export const getEvent = (queries: Queries, teamId: string, id: string): Promise<Event | undefined> =>
  queries.get<Event>(`select ${SELECTED} from events where team_id = $1 and id = $2 and position is not null`, [
    teamId,
    id,
  ]);

/** An event of any team that the operator's product has named. */
export const getCustomerEvent = (queries: Queries, id: string): Promise<Event | undefined> =>
  queries.get<Event>(`select ${SELECTED} from events where id = $1 and team_key is not null and position is not null`, [
    id,
  ]);

/** A part of the log: after one position, up to another, oldest first. `types` leaves out all other types. */
export type LogRange = { after: number; upTo: number; limit: number; types?: readonly EventType[] | undefined };

const IN_RANGE = 'position > $1 and position <= $2';

/**
 * Lists the first `limit` events in a range. With `types`, finds the first `limit` positions of each type in an index,
 * and reads only the events at the lowest ones. So a rare type is found without reading the other events.
 */
const listRange = (
  queries: Queries,
  whose: string,
  { after, upTo, limit, types }: LogRange,
  owner: readonly string[] = [],
): Promise<Event[]> => {
  const positions = types?.map(
    (_, index) => `select position from (select position from events
      where ${whose} and type = $${index + 4 + owner.length} and ${IN_RANGE} order by position limit $3) of_type`,
  );
  const wanted = positions
    ? `position in (select position from (${positions.join(' union all ')}) of_types order by position limit $3)`
    : IN_RANGE;
  return queries.all<Event>(`select ${SELECTED} from events where ${whose} and ${wanted} order by position limit $3`, [
    ...[after, upTo, limit],
    ...owner,
    ...(types ?? []),
  ]);
};

export const listEventsOfTeam = (queries: Queries, teamId: string, range: LogRange): Promise<Event[]> =>
  listRange(queries, `team_id = $4${range.types ? '' : " and type <> 'team.erased'"}`, range, [teamId]);

export const listEventsOfCustomers = (queries: Queries, range: LogRange): Promise<Event[]> =>
  listRange(queries, 'team_key is not null', range);

/** Events about any of these subjects, newest first. */
export const listEventsAbout = (
  queries: Queries,
  teamId: string,
  subjects: readonly string[],
  limit: number,
): Promise<Event[]> =>
  queries.allFrom<Event>(
    { columns: { team_id: 'text', subject: 'text' }, rows: subjects.map((subject) => [teamId, subject]) },
    // Find the positions in the index, and read only the rows that are shown.
    `select ${SELECTED} from events where team_id in (select team_id from rows) and position in (select position
        from events where (team_id, subject) in (select team_id, subject from rows) and position is not null
        order by position desc limit ${limit})
      order by position desc`,
  );

/** Erases the data of events about these subjects. The events themselves stay. */
export const eraseEventsAbout = (queries: Queries, teamId: string, subjects: readonly string[]): Promise<number> =>
  queries.runFrom(
    { columns: { team_id: 'text', subject: 'text' }, rows: subjects.map((subject) => [teamId, subject]) },
    `update events set data = null
      where (team_id, subject) in (select team_id, subject from rows) and data is not null`,
  );

const PIECE = 200;
/** A few events, in the order of an index. Without an order, PostgreSQL reads the whole table each time. */
const SOME_OF_TEAM = `select id from events where team_id = $1 and type <> 'team.erased'
  order by subject, position limit ${PIECE}`;

/** Deletes events a few at a time. Deletes their attempts first, because one event may have very many. */
export const deleteEventsOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  const attempts = { from: 'event_attempts', key: 'id', where: `event_id in (${SOME_OF_TEAM})` };
  for (let deleted = PIECE; deleted === PIECE; await pace()) {
    await deleteInPieces(queries, attempts, [teamId], pace);
    deleted = await queries.run(`delete from events where id in (${SOME_OF_TEAM})`, [teamId]);
  }
};
