import { defineRow, type Queries, type Transaction } from '../../platform/index.ts';
import type { EventType } from '../log/event.ts';
import type { SendAttempt } from './attempt.ts';
import { NEXT_RETRY } from './retry-store.ts';

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

type EndpointOutcome = {
  id: string;
  position: number;
  /** The replay that these attempts belong to, if any. Another replay may have begun since. */
  replayUntil: number | null;
  replayPosition: number | null;
  /** The last success and the last failure among these attempts. */
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
};

/** Stores an endpoint's progress. Its position never goes back. Undefined if the endpoint is gone. */
export const putOutcome = (
  tx: Transaction,
  { id, position, replayUntil, replayPosition, lastSuccessAt, lastFailureAt }: EndpointOutcome,
): Promise<{ failingSince: number | null; replayUntil: number | null } | undefined> =>
  tx.get(
    `update event_endpoints set
      position = case when position < $2 then $2 else position end,
      replay_position = case when replay_until = $6 and $3 >= replay_until then null
        when replay_until = $6 then coalesce($3, replay_position) else replay_position end,
      replay_until = case when replay_until = $6 and $3 >= replay_until then null else replay_until end,
      last_success_at = coalesce($4, last_success_at), last_failure_at = coalesce($5, last_failure_at),
      failing_since = case when $4 is null then coalesce(failing_since, $5) else null end,
      retry_at = ${NEXT_RETRY}
      where id = $1 returning failing_since as "failingSince", replay_until as "replayUntil"`,
    [id, position, replayPosition, lastSuccessAt, lastFailureAt, replayUntil],
  );

const DAY_MS = 24 * 3_600_000;
/** More attempts than a failing endpoint gets in the days that matter. */
const MOST_COUNTED = 5_000;

/** On how many days since a time an endpoint was tried. */
export const countDaysTried = async (queries: Queries, endpointId: string, since: number): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(distinct at / ${DAY_MS}) as n from
      (select at from event_attempts where endpoint_id = $1 order by id desc limit ${MOST_COUNTED}) newest where at >= $2`,
    [endpointId, since],
  );
  return Number(row?.n ?? 0);
};

/** Turns an endpoint off until somebody turns it on again, and ends its replay. Returns 0 if it was off already. */
export const deactivateEndpoint = (
  tx: Transaction,
  id: string,
  reason: 'gone' | 'failing',
  now: number,
): Promise<number> =>
  tx.run(
    `update event_endpoints set inactive_reason = $2, inactive_since = $3, retry_at = null, replay_position = null,
      replay_until = null, changed_at = $3
      where id = $1 and inactive_reason is null`,
    [id, reason, now],
  );
