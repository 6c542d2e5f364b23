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

/** What another process has recorded about the same thing came first, whatever its clock says. */
const LAST_STAMP = `(select max(known.stamp) from events known
  where known.team_id = rows.team_id and known.subject = rows.subject and known.position is null)`;

export const insertEvents = (tx: Transaction, rows: readonly NewEventRow[]): Promise<number> =>
  tx.runFrom(
    NEW_EVENT.toTable(rows.map((row) => ({ ...row, firstStamp: rows[0]?.stamp ?? row.stamp }))),
    `insert into events (id, team_id, team_key, type, subject, data, stamp, created_at)
      select id, team_id, team_key, type, subject, data,
        case when ${LAST_STAMP} >= first_stamp then ${LAST_STAMP} + 1 + stamp - first_stamp else stamp end, created_at
      from rows where true`,
  );

const SELECTED = `id, team_id as "teamId", team_key as "teamKey", type, subject, data, created_at as "createdAt",
  position, sequence`;

export const getEvent = (queries: Queries, teamId: string, id: string): Promise<Event | undefined> =>
  queries.get<Event>(`select ${SELECTED} from events where team_id = $1 and id = $2 and position is not null`, [
    teamId,
    id,
  ]);

/** Of all teams that the operator's product has named. */
export const getCustomerEvent = (queries: Queries, id: string): Promise<Event | undefined> =>
  queries.get<Event>(`select ${SELECTED} from events where id = $1 and team_key is not null and position is not null`, [
    id,
  ]);

/** A part of the log: after one position, up to another, oldest first. */
export type LogRange = { after: number; upTo: number; limit: number; type?: EventType | undefined };

export const listEventsOfTeam = (
  queries: Queries,
  teamId: string,
  { after, upTo, limit, type }: LogRange,
): Promise<Event[]> =>
  queries.all<Event>(
    `select ${SELECTED} from events where team_id = $1 and position > $2 and position <= $3
      ${type ? 'and type = $5' : "and type <> 'team.erased'"} order by position limit $4`,
    [teamId, after, upTo, limit, ...(type ? [type] : [])],
  );

export const listEventsOfCustomers = (queries: Queries, { after, upTo, limit, type }: LogRange): Promise<Event[]> =>
  queries.all<Event>(
    `select ${SELECTED} from events where team_key is not null and position > $1 and position <= $2
      ${type ? 'and type = $4' : ''} order by position limit $3`,
    [after, upTo, limit, ...(type ? [type] : [])],
  );

/** What happened to some things, newest first. */
export const listEventsAbout = (
  queries: Queries,
  teamId: string,
  subjects: readonly string[],
  limit: number,
): Promise<Event[]> =>
  queries.allFrom<Event>(
    { columns: { team_id: 'text', subject: 'text' }, rows: subjects.map((subject) => [teamId, subject]) },
    `select ${SELECTED} from events
      where (team_id, subject) in (select team_id, subject from rows) and position is not null
      order by position desc limit ${limit}`,
  );

/** What was said about things that are erased: that something happened stays, and what it was doesn't. */
export const eraseEventsAbout = (queries: Queries, teamId: string, subjects: readonly string[]): Promise<number> =>
  queries.runFrom(
    { columns: { team_id: 'text', subject: 'text' }, rows: subjects.map((subject) => [teamId, subject]) },
    `update events set data = null
      where (team_id, subject) in (select team_id, subject from rows) and data is not null`,
  );

export const deleteEventsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'events', key: 'id', where: "team_id = $1 and type <> 'team.erased'" },
    [teamId],
    pace,
  );
