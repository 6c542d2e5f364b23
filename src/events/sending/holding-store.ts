import type { Database, Queries } from '../../platform/index.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from '../endpoints/endpoint-store.ts';

/** How long a process holds an endpoint without renewing the hold. */
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
 * SQL: no other process holds the endpoint. A hold that ends too far in the future is ignored: it was written by a
 * clock that has been set back since.
 */
const FREE = 'inactive_reason is null and (holder = rows.process or held_until <= rows.now or held_until > rows.far)';

/** Holds those endpoints that no other process holds, and returns them. Only this process then sends to them. */
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
      // A fixed order and `skip locked`, so that two processes can't deadlock.
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

/** Releases endpoints, and stores how far the log was read for each of them, even if there was nothing to send. */
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

/** Renews the hold on endpoints, so that no other process takes them while we wait for their receivers. */
export const keepHolding = (queries: Queries, ids: readonly string[], holder: string, now: number): Promise<number> =>
  queries.runFrom(
    { columns: { id: 'text', holder: 'text', until: 'bigint' }, rows: ids.map((id) => [id, holder, now + HOLD_MS]) },
    `update event_endpoints set held_until = rows.until from rows
      where event_endpoints.id = rows.id and event_endpoints.holder = rows.holder`,
  );

/** Releases all endpoints at startup. Only for SQLite: it has a single process, so any hold is from a former one. */
export const releaseAll = (queries: Queries): Promise<number> =>
  queries.run('update event_endpoints set holder = null, held_until = 0 where holder is not null');
