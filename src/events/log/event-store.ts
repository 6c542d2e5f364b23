import { defineRow, deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';
import type { Event } from './event.ts';
import type { EventFilter } from './event-filter.ts';
import { deletePayloads } from './payloads/payload-store.ts';

const NEW_EVENT = defineRow({
  id: 'text',
  teamId: 'text',
  teamKey: 'text',
  type: 'text',
  subject: 'text',
  provider: 'text',
  topic: 'text',
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
    `insert into events (id, team_id, team_key, type, subject, provider, topic, data, stamp, created_at)
      select id, team_id, team_key, type, subject, provider, topic, data,
        coalesce(${LATER_STAMP} + 1 + stamp - first_stamp, stamp), created_at
      from rows where true`,
  );

/** The key of an event that belongs to no team is empty. */
const SELECTED = `id, team_id as "teamId", nullif(team_key, '') as "teamKey", type, subject, provider, topic, data,
  created_at as "createdAt", position, sequence`;

export const getEvent = (queries: Queries, teamId: string, id: string): Promise<Event | undefined> =>
  queries.get<Event>(
    `select ${SELECTED} from events
      where team_id = $1 and id = $2 and position is not null and type <> 'provider.unmatched'`,
    [teamId, id],
  );

/** An event of any team that the operator's product has named, or one that belongs to no team. */
export const getCustomerEvent = (queries: Queries, id: string): Promise<Event | undefined> =>
  queries.get<Event>(`select ${SELECTED} from events where id = $1 and team_key is not null and position is not null`, [
    id,
  ]);

/** A part of the log: after one position, up to another, oldest first. An event is read if one of the filters fits. */
export type LogRange = { after: number; upTo: number; limit: number; filters: readonly EventFilter[] };

/** The values of a statement, in the order of their parameters. */
const createValues = (first: readonly (string | number)[]) => {
  const values = [...first];
  return { values, add: (value: string | number): string => `$${values.push(value)}` };
};

/**
 * Lists the first `limit` events in a range. Finds the first `limit` positions of each filter in an index, and reads
 * only the events at the lowest ones. So a rare type is found without reading the other events, however many.
 */
const listRange = (
  queries: Queries,
  teamId: string | null,
  { after, upTo, limit, filters }: LogRange,
): Promise<Event[]> => {
  const { values, add } = createValues([after, upTo, limit]);
  const whose = teamId === null ? 'team_key is not null' : `team_id = ${add(teamId)}`;
  const conditionOf = (filter: EventFilter): string =>
    Object.entries(filter)
      .flatMap(([column, value]) => (value === undefined ? [] : [`${column} = ${add(value)}`]))
      .join(' and ');
  const positions = filters.map(
    (filter) => `select position from (select position from events
      where ${whose} and ${conditionOf(filter)} and position > $1 and position <= $2 order by position limit $3) of_one`,
  );
  return queries.all<Event>(
    `select ${SELECTED} from events where ${whose} and position in
      (select position from (${positions.join(' union all ')}) of_all order by position limit $3)
      order by position limit $3`,
    values,
  );
};

export const listEventsOfTeam = (queries: Queries, teamId: string, range: LogRange): Promise<Event[]> =>
  listRange(queries, teamId, range);

export const listEventsOfCustomers = (queries: Queries, range: LogRange): Promise<Event[]> =>
  listRange(queries, null, range);

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

/** Deletes events a few at a time. Deletes their attempts and payloads first, because there may be very many. */
export const deleteEventsOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  const attempts = { from: 'event_attempts', key: 'id', where: `event_id in (${SOME_OF_TEAM})` };
  for (let deleted = PIECE; deleted === PIECE; await pace()) {
    await deleteInPieces(queries, attempts, [teamId], pace);
    await deletePayloads(queries, SOME_OF_TEAM, [teamId], pace);
    deleted = await queries.run(`delete from events where id in (${SOME_OF_TEAM})`, [teamId]);
  }
};
