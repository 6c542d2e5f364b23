import type { Queries, Transaction } from '../../platform/index.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';

/** When the next retry is due, if there is one. */
const NEXT_RETRY = '(select min(next_at) from event_retries r where r.endpoint_id = event_endpoints.id)';

export const updateRetryAt = (queries: Queries, endpointId: string): Promise<number> =>
  queries.run(`update event_endpoints set retry_at = ${NEXT_RETRY} where id = $1 and retry_at is not null`, [
    endpointId,
  ]);

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

/** Unless the endpoint has changed since it was read: then another replay may have begun. */
export const finishReplay = (
  queries: Queries,
  { id, replayUntil, changedAt }: Pick<Endpoint, 'id' | 'replayUntil' | 'changedAt'>,
  holder: string,
): Promise<number> =>
  queries.run(
    `update event_endpoints set replay_position = null, replay_until = null
      where id = $1 and holder = $2 and replay_until = $3 and changed_at = $4`,
    [id, holder, replayUntil, changedAt],
  );
