import type { Queries, Transaction } from '../../platform/index.ts';

type Retry = { eventId: string; attempts: number };

/** The retries to an endpoint that are due, in order. */
export const listDueRetries = (queries: Queries, endpointId: string, now: number, limit: number): Promise<Retry[]> =>
  queries.all<Retry>(
    `select event_id as "eventId", attempts from event_retries where endpoint_id = $1 and next_at <= $2
      order by next_at limit $3`,
    [endpointId, now, limit],
  );

/** Longer than any wait. A retry that is due even later was stored by a clock that has been set back since. */
const FAR_MS = 2 * 24 * 3_600_000;

/** Sets retries that are due later than any wait allows to now. */
export const hastenFarRetries = async (queries: Queries, now: number): Promise<void> => {
  const values = [now, now + FAR_MS];
  await queries.run(
    `update event_retries set next_at = $1
      where next_at > $2 and endpoint_id in (select id from event_endpoints where retry_at > $2)`,
    values,
  );
  await queries.run('update event_endpoints set retry_at = $1 where retry_at > $2', values);
};

export type RetryRow = Retry & { endpointId: string; nextAt: number };

/**
 * SQL: whether an endpoint gets retries. An endpoint that is active or paused does, but not one that Patchbay turned
 * off.
 */
const GETS_RETRIES = `coalesce(e.inactive_reason, 'paused') = 'paused'`;

/** Stores retries, unless the event or the endpoint is gone. */
export const putRetries = (queries: Queries, retries: readonly RetryRow[]): Promise<number> =>
  queries.runFrom(
    {
      columns: { endpoint_id: 'text', event_id: 'text', attempts: 'bigint', next_at: 'bigint' },
      rows: retries.map(({ endpointId, eventId, attempts, nextAt }) => [endpointId, eventId, attempts, nextAt]),
    },
    `insert into event_retries (endpoint_id, event_id, attempts, next_at)
      select endpoint_id, event_id, attempts, next_at from rows
        where exists (select 1 from event_endpoints e where e.id = rows.endpoint_id and ${GETS_RETRIES})
        and exists (select 1 from events e where e.id = rows.event_id)
      on conflict (endpoint_id, event_id) do update set attempts = excluded.attempts, next_at = excluded.next_at`,
  );

export const deleteRetries = (
  tx: Transaction,
  retries: readonly { endpointId: string; eventId: string }[],
): Promise<number> =>
  tx.runFrom(
    {
      columns: { endpoint_id: 'text', event_id: 'text' },
      rows: retries.map(({ endpointId, eventId }) => [endpointId, eventId]),
    },
    'delete from event_retries where (endpoint_id, event_id) in (select endpoint_id, event_id from rows)',
  );

const PIECE = 200;

/** Deletes the retries of an endpoint that was turned off, a few at a time, until `hasEnough` returns true. */
export const deleteRetriesOf = async (
  queries: Queries,
  endpointId: string,
  hasEnough: () => boolean,
): Promise<void> => {
  const some = `select event_id from event_retries where endpoint_id = $1 limit ${PIECE}`;
  for (let deleted = PIECE; deleted === PIECE && !hasEnough(); )
    deleted = await queries.run(`delete from event_retries where endpoint_id = $1 and event_id in (${some})`, [
      endpointId,
    ]);
};
