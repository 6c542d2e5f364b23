import type { Queries } from '../../platform/index.ts';
import type { Event } from '../log/event.ts';
import { type EventFilter, fitsAny, toFilters } from '../log/event-filter.ts';

const readFilters = (types: string): EventFilter[] => toFilters(JSON.parse(types));

/** The teams' endpoints that want events in this part of the log. Leaves out the operator's endpoints. */
export const listEndpointsToTell = async (
  queries: Queries,
  { after, upTo }: { after: number; upTo: number },
): Promise<string[]> => {
  const rows = await queries.all<Pick<Event, 'type' | 'provider' | 'topic'> & { id: string; types: string }>(
    `select e.id as id, e.types as types, news.type as type, news.provider as provider, news.topic as topic
      from (select distinct team_id, type, provider, topic from events where position > $1 and position <= $2) news
      join event_endpoints e on e.team_id = news.team_id and e.for_operator = 0 and e.inactive_reason is null`,
    [after, upTo],
  );
  const filters = new Map([...new Set(rows.map(({ types }) => types))].map((types) => [types, readFilters(types)]));
  return [...new Set(rows.filter((row) => fitsAny(filters.get(row.types) ?? [], row)).map(({ id }) => id))];
};

export const listOperatorEndpoints = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    'select id from event_endpoints where for_operator = 1 and inactive_reason is null',
  );
  return rows.map(({ id }) => id);
};

/** The position in a list of endpoints that is ordered by their next retry. */
export type DuePlace = { id: string; retryAt: number };

/** A page of endpoints with a due retry, in the order of the retries. */
export const listEndpointsDue = (queries: Queries, now: number, after: DuePlace, limit: number): Promise<DuePlace[]> =>
  queries.all<DuePlace>(
    `select id, retry_at as "retryAt" from event_endpoints where retry_at is not null and retry_at <= $1
      and (retry_at, id) > ($2, $3) and inactive_reason is null order by retry_at, id limit $4`,
    [now, after.retryAt, after.id, limit],
  );

/** A page of endpoints, in the order of their IDs. `isBehind`: there is something to send. */
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
