import { defineRow, deleteInPieces, type Queries, type Transaction } from '../../platform/index.ts';
import type { Event } from './event.ts';
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
export const EVENT_COLUMNS = `id, team_id as "teamId", nullif(team_key, '') as "teamKey", type, subject, provider, topic, data,
  created_at as "createdAt", position, sequence`;

export const getEvent = (queries: Queries, teamId: string, id: string): Promise<Event | undefined> =>
  queries.get<Event>(
    `select ${EVENT_COLUMNS} from events
      where team_id = $1 and id = $2 and position is not null and type <> 'provider.unmatched'`,
    [teamId, id],
  );

/** An event of any team that the operator's product has named, or one that belongs to no team. */
export const getCustomerEvent = (queries: Queries, id: string): Promise<Event | undefined> =>
  queries.get<Event>(
    `select ${EVENT_COLUMNS} from events where id = $1 and team_key is not null and position is not null`,
    [id],
  );

/** SQL: which events about a subject are listed. */
const ABOUT = {
  anything: 'true',
  /** A connection, without what happened at its account. As in the index, because SQLite compares the text. */
  connection: `type in ('connection.connected', 'connection.reconnected', 'connection.degraded', 'connection.recovered',
    'connection.needs_reconnect', 'connection.disconnected')`,
  /** What happened at the account of a connection. In other words than in an index that isn't ordered by position. */
  account: "coalesce(provider, '') <> ''",
} as const;

export type About = keyof typeof ABOUT;

/** More than any position. */
const END = Number.MAX_SAFE_INTEGER;

/**
 * Events about any of these subjects, newest first. Finds the newest of each subject in an index. Compares and orders
 * by two of its columns there, even though one of them is the same. Otherwise, PostgreSQL may read the log from its end,
 * or all events of the subjects.
 */
export const listEventsAbout = (
  queries: Queries,
  teamId: string,
  subjects: readonly string[],
  { about, limit }: { about: About; limit: number },
): Promise<Event[]> =>
  queries.allFrom<Event>(
    { columns: { team_id: 'text', subject: 'text' }, rows: subjects.map((subject) => [teamId, subject]) },
    // The position plus 0 has no index, so that these few rows are found by their subjects.
    `select ${EVENT_COLUMNS} from events where team_id in (select team_id from rows) and position in (select e.position
        from (select team_id, subject, coalesce((select k.position from events k where k.team_id = rows.team_id
              and (k.subject, k.position) > (rows.subject, 0) and (k.subject, k.position) <= (rows.subject, ${END})
              and ${ABOUT[about]} and k.position is not null
            order by k.subject desc, k.position desc limit 1 offset ${limit - 1}), 0) as since from rows) newest
        join events e on e.team_id = newest.team_id and e.subject = newest.subject and e.position >= newest.since
          and ${ABOUT[about]}
        order by e.position + 0 desc limit ${limit})
      order by position desc`,
  );

/**
 * How many events at the account of each connection there are since a time, up to `most`. Compares and orders by the
 * columns of an index. Otherwise, PostgreSQL may read all events of a connection to count the latest.
 */
export const countReceived = (
  queries: Queries,
  teamId: string,
  connectionIds: readonly string[],
  { since, most }: { since: number; most: number },
): Promise<{ id: string; count: number }[]> =>
  queries.allFrom(
    {
      columns: { team_id: 'text', subject: 'text', since: 'bigint' },
      rows: connectionIds.map((id) => [teamId, id, since]),
    },
    `select rows.subject as id, (select count(*) from (select 1 as one from events e
        where (e.team_id, e.subject, e.created_at) >= (rows.team_id, rows.subject, rows.since)
          and (e.team_id, e.subject, e.created_at) <= (rows.team_id, rows.subject, ${END}) and e.provider is not null
        order by e.team_id, e.subject, e.created_at limit ${most}) counted) as count
      from rows`,
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
