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

/** Unless the event is gone. */
export const insertAttempts = (tx: Transaction, rows: readonly AttemptRow[]): Promise<number> =>
  tx.runFrom(
    ROW.toTable(rows),
    `insert into event_attempts (id, team_id, event_id, endpoint_id, at, status, duration_ms, error)
      select id, team_id, event_id, endpoint_id, at, status, duration_ms, error from rows
        where exists (select 1 from events e where e.id = rows.event_id)`,
  );

/** As many as are shown. */
export const MOST_ATTEMPTS = 200;

/** Of an event that is sent again and again, only the newest are kept. */
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

/** The newest of one event, to a team's endpoints. */
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

/** With what was sent. */
export type AttemptTo = AttemptRow & { type: EventType };

/** To one endpoint, newest first. */
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
  /** Which replay these attempts are from, if any. Another may have begun since. */
  replayUntil: number | null;
  replayPosition: number | null;
  /** Of these attempts. */
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
};

/** Where the endpoint stands after some attempts. Its position never goes back. Undefined if it's gone. */
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
/** More than an endpoint is tried in the days that matter while it fails. */
const MOST_COUNTED = 5_000;

/** On how many days an endpoint was tried since then. */
export const countDaysTried = async (queries: Queries, endpointId: string, since: number): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(distinct at / ${DAY_MS}) as n from
      (select at from event_attempts where endpoint_id = $1 order by id desc limit ${MOST_COUNTED}) newest where at >= $2`,
    [endpointId, since],
  );
  return Number(row?.n ?? 0);
};

/** Nothing is sent there until somebody turns it on again, and a replay ends. Returns 0 if it was turned off before. */
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
