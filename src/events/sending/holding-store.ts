import type { Database, Queries } from '../../platform/index.ts';
import { type Endpoint, wants } from '../endpoints/endpoint.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from '../endpoints/endpoint-store.ts';
import type { EventType } from '../log/event.ts';

/** How long a hold on an endpoint lasts unless it's extended. */
export const HOLD_MS = 10_000;

/** The endpoint as it is now. Undefined if this process no longer holds it, or if the endpoint is off. */
export const getHeldEndpoint = async (
  queries: Queries,
  id: string,
  holder: string,
  now: number,
): Promise<Endpoint | undefined> => {
  const row = await queries.get<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from event_endpoints
      where id = $1 and inactive_reason is null and holder = $2 and held_until > $3`,
    [id, holder, now],
  );
  return row && toEndpoint(row);
};

/**
 * SQL: no other process holds the endpoint. A time far in the future was written by a clock that has been set back
 * since.
 */
const FREE = 'inactive_reason is null and (holder = rows.process or held_until <= rows.now or held_until > rows.far)';

/** Takes hold of those endpoints that no other process holds. Returns them as they are now. */
export const holdEndpoints = (
  database: Database,
  ids: readonly string[],
  holder: string,
  now: number,
): Promise<Endpoint[]> =>
  database.transaction(async (tx) => {
    const rows = await tx.allFrom<EndpointRow>(
      {
        columns: { endpoint_id: 'text', process: 'text', now: 'bigint', far: 'bigint' },
        rows: ids.map((id) => [id, holder, now, now + 2 * HOLD_MS]),
      },
      // A fixed order and `skip locked`, so that two processes never deadlock.
      `select ${ENDPOINT_COLUMNS} from rows join event_endpoints on id = endpoint_id and ${FREE}
        order by id for update skip locked`,
    );
    await tx.runFrom(
      {
        columns: { id: 'text', process: 'text', until: 'bigint' },
        rows: rows.map(({ id }) => [id, holder, now + HOLD_MS]),
      },
      `update event_endpoints set holder = rows.process, held_until = rows.until from rows where event_endpoints.id = rows.id`,
    );
    return rows.map(toEndpoint);
  });

type Released = { id: string; position: number };

/** Releases endpoints, and stores the position that each has reached if there was nothing to send. */
export const releaseEndpoints = (queries: Queries, released: readonly Released[], holder: string): Promise<number> =>
  queries.runFrom(
    {
      columns: { id: 'text', process: 'text', told: 'bigint' },
      rows: released.map(({ id, position }) => [id, holder, position]),
    },
    `update event_endpoints set holder = null, held_until = 0,
      position = case when position < rows.told then rows.told else position end
      from rows where event_endpoints.id = rows.id and event_endpoints.holder = rows.process`,
  );

/** Ends a replay, unless the endpoint has changed since it was read: then another replay may have begun. */
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

/** Extends the hold, so that no other process takes the endpoints while they wait for receivers. */
export const keepHolding = (queries: Queries, ids: readonly string[], holder: string, now: number): Promise<number> =>
  queries.runFrom(
    { columns: { id: 'text', holder: 'text', until: 'bigint' }, rows: ids.map((id) => [id, holder, now + HOLD_MS]) },
    `update event_endpoints set held_until = rows.until from rows
      where event_endpoints.id = rows.id and event_endpoints.holder = rows.holder`,
  );

/** Releases all endpoints. Only used with SQLite, where a single process runs, so any earlier holder is gone. */
export const releaseAll = (queries: Queries): Promise<number> =>
  queries.run('update event_endpoints set holder = null, held_until = 0 where holder is not null');

/** The endpoints that want events in this part of the log, except the operator's. */
export const listEndpointsToTell = async (
  queries: Queries,
  { after, upTo }: { after: number; upTo: number },
): Promise<string[]> => {
  const rows = await queries.all<{ id: string; types: string; type: EventType }>(
    `select e.id as id, e.types as types, news.type as type
      from (select distinct team_id, type from events where position > $1 and position <= $2) news
      join event_endpoints e on e.team_id = news.team_id and e.for_operator = 0 and e.inactive_reason is null`,
    [after, upTo],
  );
  return [...new Set(rows.filter(({ types, type }) => wants({ types: JSON.parse(types) }, type)).map(({ id }) => id))];
};

export const listOperatorEndpoints = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    'select id from event_endpoints where for_operator = 1 and inactive_reason is null',
  );
  return rows.map(({ id }) => id);
};

/** A place in the list of endpoints ordered by their next retry. */
export type DuePlace = { id: string; retryAt: number };

/** Endpoints with a due retry, ordered by when it is due, after a place in that order. */
export const listEndpointsDue = (queries: Queries, now: number, after: DuePlace, limit: number): Promise<DuePlace[]> =>
  queries.all<DuePlace>(
    `select id, retry_at as "retryAt" from event_endpoints where retry_at is not null and retry_at <= $1
      and (retry_at, id) > ($2, $3) and inactive_reason is null order by retry_at, id limit $4`,
    [now, after.retryAt, after.id, limit],
  );

/** The next few endpoints, ordered by ID, and whether each has something to send. */
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
