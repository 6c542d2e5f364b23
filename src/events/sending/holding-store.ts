import type { Queries } from '../../platform/index.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from '../endpoints/endpoint-store.ts';

/** How long a process holds an endpoint without saying so again. */
export const HOLD_MS = 10_000;

/**
 * The endpoint as it is now, held by this process. Undefined if another one holds it, or if nothing is sent there
 * anymore. A time far in the future was written by a clock that has been set back since.
 */
export const holdEndpoint = async (
  queries: Queries,
  id: string,
  holder: string,
  now: number,
): Promise<Endpoint | undefined> => {
  const row = await queries.get<EndpointRow>(
    `update event_endpoints set holder = $2, held_until = $3 where id = $1 and inactive_reason is null
      and (holder = $2 or held_until <= $4 or held_until > $5) returning ${ENDPOINT_COLUMNS}`,
    [id, holder, now + HOLD_MS, now, now + 2 * HOLD_MS],
  );
  return row && toEndpoint(row);
};

export const releaseEndpoint = (queries: Queries, id: string, holder: string): Promise<number> =>
  queries.run('update event_endpoints set holder = null, held_until = 0 where id = $1 and holder = $2', [id, holder]);

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

/** So that nobody else takes them while they wait for receivers. */
export const keepHolding = (queries: Queries, ids: readonly string[], holder: string, now: number): Promise<number> =>
  queries.runFrom(
    { columns: { id: 'text', holder: 'text', until: 'bigint' }, rows: ids.map((id) => [id, holder, now + HOLD_MS]) },
    `update event_endpoints set held_until = rows.until from rows
      where event_endpoints.id = rows.id and event_endpoints.holder = rows.holder`,
  );

/** Where there is only one process, whoever held them is gone. */
export const releaseAll = (queries: Queries): Promise<number> =>
  queries.run('update event_endpoints set holder = null, held_until = 0 where holder is not null');

/** Who is told about events in this part of the log, apart from the operator. */
export const listEndpointsToTell = async (
  queries: Queries,
  { after, upTo }: { after: number; upTo: number },
): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    `select id from event_endpoints where inactive_reason is null and for_operator = 0
      and team_id in (select team_id from events where position > $1 and position <= $2)`,
    [after, upTo],
  );
  return rows.map(({ id }) => id);
};

export const listOperatorEndpoints = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    'select id from event_endpoints where for_operator = 1 and inactive_reason is null',
  );
  return rows.map(({ id }) => id);
};

/** Where a list of endpoints by their next retry continues. */
export type DuePlace = { id: string; retryAt: number };

/** Those that have a retry due, whatever is due first, after a place in that order. */
export const listEndpointsDue = (queries: Queries, now: number, after: DuePlace, limit: number): Promise<DuePlace[]> =>
  queries.all<DuePlace>(
    `select id, retry_at as "retryAt" from event_endpoints where retry_at is not null and retry_at <= $1
      and (retry_at, id) > ($2, $3) and inactive_reason is null order by retry_at, id limit $4`,
    [now, after.retryAt, after.id, limit],
  );

/** Whether there is something to send, for the next few endpoints in the order of their ids. */
export const listEndpointsAfter = (
  queries: Queries,
  afterId: string,
  limit: number,
): Promise<{ id: string; isBehind: number }[]> =>
  queries.all(
    `select e.id as id, case when e.inactive_reason is null and (e.replay_until is not null
        or e.position < case when e.for_operator = 1 then l.position else coalesce(t.position, 0) end)
        then 1 else 0 end as "isBehind"
      from (select * from event_endpoints where id > $1 order by id limit $2) e
      join event_log l on l.id = 1 left join event_teams t on t.team_id = e.team_id order by e.id`,
    [afterId, limit],
  );
