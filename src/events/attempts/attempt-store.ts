import { defineRow, type Queries, type Transaction } from '../../platform/index.ts';
import type { EventType } from '../log/event.ts';
import type { SendAttempt } from './attempt.ts';

export type AttemptRow = Omit<SendAttempt, 'retryAfterMs'> & {
  id: string;
  teamId: string;
  eventId: string;
  endpointId: string;
};

const ROW = defineRow({
  id: 'text',
  teamId: 'text',
  eventId: 'text',
  endpointId: 'text',
  at: 'bigint',
  status: 'bigint',
  durationMs: 'bigint',
  error: 'text',
});

/** Inserts attempts, unless their event is gone. */
export const insertAttempts = (tx: Transaction, rows: readonly AttemptRow[]): Promise<number> =>
  tx.runFrom(
    ROW.toTable(rows),
    `insert into event_attempts (id, team_id, event_id, endpoint_id, at, status, duration_ms, error)
      select id, team_id, event_id, endpoint_id, at, status, duration_ms, error from rows
        where exists (select 1 from events e where e.id = rows.event_id)`,
  );

/** How many attempts of an event are shown and kept. */
export const MOST_ATTEMPTS = 200;

/** Deletes all but the newest attempts of events that are sent again and again. */
export const trimAttempts = (tx: Transaction, eventIds: readonly string[]): Promise<number> =>
  tx.runFrom(
    { columns: { event_id: 'text' }, rows: eventIds.map((id) => [id]) },
    `delete from event_attempts where id in (select a.id from
      (select rows.event_id as event_id, (select n.id from event_attempts n where n.event_id = rows.event_id
        order by n.id desc limit 1 offset ${MOST_ATTEMPTS}) as last_id from rows) old
      join event_attempts a on a.event_id = old.event_id and a.id <= old.last_id)`,
  );

const SELECTED = `id, team_id as "teamId", event_id as "eventId", endpoint_id as "endpointId", at, status,
  duration_ms as "durationMs", error`;

/** The newest attempts to send one event to a team's endpoints. */
export const listAttemptsOf = (
  queries: Queries,
  teamId: string,
  eventId: string,
  limit: number,
): Promise<AttemptRow[]> =>
  queries.all<AttemptRow>(
    `select ${SELECTED} from event_attempts where event_id = $1 and team_id = $2 order by id desc limit $3`,
    [eventId, teamId, limit],
  );

/** An attempt, with the type of its event. */
export type AttemptTo = AttemptRow & { type: EventType };

/** A page of attempts to one endpoint, newest first. */
export const listAttemptsTo = (
  queries: Queries,
  teamId: string,
  endpointId: string,
  { before, limit }: { before: string; limit: number },
): Promise<AttemptTo[]> =>
  queries.all<AttemptTo>(
    `select ${SELECTED}, (select type from events e where e.id = event_id) as type from event_attempts
      where endpoint_id = $1 and team_id = $2 and id < $3 order by id desc limit $4`,
    [endpointId, teamId, before, limit],
  );
