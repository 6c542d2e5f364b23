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
  /** The end of the replay that these attempts are from, or null. Another replay may have begun since. */
  replayUntil: number | null;
  replayPosition: number | null;
  /** The last success and failure among these attempts. */
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
};

/** Stores progress after some attempts. The position never goes back. Undefined if the endpoint was deleted. */
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
/** How many attempts are checked, from the newest on. A failing endpoint gets fewer in `FAILING_MS`. */
const MOST_COUNTED = 5_000;

/** On how many days, from `since` on, something was sent to an endpoint. */
export const countDaysTried = async (queries: Queries, endpointId: string, since: number): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(distinct at / ${DAY_MS}) as n from
      (select at from event_attempts where endpoint_id = $1 order by id desc limit ${MOST_COUNTED}) newest where at >= $2`,
    [endpointId, since],
  );
  return Number(row?.n ?? 0);
};

/** Turns an endpoint off and ends its replay. Only a person can turn it on again. Returns 0 if it was off already. */
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

/** Ends a replay. Does nothing if the endpoint has changed since it was read, because another replay may have begun. */
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
