import { deleteInPieces, insertRow, type Queries, type Transaction } from '../../platform/index.ts';
import type { Endpoint, EndpointOwner, InactiveReason, OldSecret } from './endpoint.ts';

export type EndpointRow = Omit<Endpoint, 'types' | 'forOperator' | 'olderSecrets'> & {
  types: string;
  forOperator: number;
  olderSecrets: string;
};

export const ENDPOINT_COLUMNS = `id, team_id as "teamId", for_operator as "forOperator", url, types, description,
  inactive_reason as "inactiveReason", inactive_since as "inactiveSince", secret, old_secret as "oldSecret",
  old_secret_until as "oldSecretUntil", older_secrets as "olderSecrets", position, replay_position as "replayPosition", replay_until as "replayUntil",
  retry_at as "retryAt", failing_since as "failingSince", last_success_at as "lastSuccessAt",
  last_failure_at as "lastFailureAt", created_at as "createdAt", changed_at as "changedAt"`;

export const toEndpoint = ({ types, forOperator, olderSecrets, ...row }: EndpointRow): Endpoint => ({
  ...row,
  types: JSON.parse(types),
  olderSecrets: JSON.parse(olderSecrets),
  forOperator: forOperator === 1,
});

const valuesOf = ({ teamId, forOperator }: EndpointOwner) => [teamId, Number(forOperator)];
const OWNED = 'team_id = $1 and for_operator = $2';

export const insertEndpoint = (
  queries: Queries,
  { types, forOperator, olderSecrets, ...endpoint }: Endpoint,
): Promise<number> =>
  insertRow(queries, 'event_endpoints', {
    ...endpoint,
    types: JSON.stringify(types),
    olderSecrets: JSON.stringify(olderSecrets),
    forOperator: Number(forOperator),
  });

export const listEndpoints = async (queries: Queries, owner: EndpointOwner): Promise<Endpoint[]> => {
  const rows = await queries.all<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from event_endpoints where ${OWNED} order by id`,
    valuesOf(owner),
  );
  return rows.map(toEndpoint);
};

export const getEndpoint = async (
  queries: Queries,
  owner: EndpointOwner,
  id: string,
  lock: '' | 'for update' = '',
): Promise<Endpoint | undefined> => {
  const row = await queries.get<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from event_endpoints where ${OWNED} and id = $3 ${lock}`,
    [...valuesOf(owner), id],
  );
  return row && toEndpoint(row);
};

export type EndpointChange = {
  url: string;
  types: readonly string[];
  description: string;
  inactiveReason: InactiveReason | null;
  inactiveSince: number | null;
  failingSince: number | null;
  position: number;
  replayPosition: number | null;
  replayUntil: number | null;
};

/** Changes an endpoint. Lock its row first, because storing the result of a request changes it, too. */
export const updateEndpoint = (
  queries: Queries,
  owner: EndpointOwner,
  id: string,
  { url, types, description, ...standing }: EndpointChange,
  now: number,
): Promise<number> => {
  const { inactiveReason, inactiveSince, failingSince, position, replayPosition, replayUntil } = standing;
  return queries.run(
    `update event_endpoints set url = $4, types = $5, description = $6, inactive_reason = $7, inactive_since = $8,
      failing_since = $9, position = $10, replay_position = $11, replay_until = $12, changed_at = $13
      where ${OWNED} and id = $3`,
    [
      ...[...valuesOf(owner), id, url, JSON.stringify(types), description],
      ...[inactiveReason, inactiveSince, failingSince, position, replayPosition, replayUntil, now],
    ],
  );
};

/** Deletes an endpoint's retries a few at a time, because deleting them with the endpoint takes one long statement. */
export const deleteRetriesTo = (queries: Queries, owner: EndpointOwner, id: string): Promise<number> =>
  deleteInPieces(
    queries,
    {
      from: 'event_retries',
      key: 'endpoint_id, event_id',
      where: `endpoint_id = (select id from event_endpoints where ${OWNED} and id = $3)`,
    },
    [...valuesOf(owner), id],
  );

export const deleteEndpoint = (queries: Queries, owner: EndpointOwner, id: string): Promise<number> =>
  queries.run(`delete from event_endpoints where ${OWNED} and id = $3`, [...valuesOf(owner), id]);

/**
 * Replaces the secret. Lock the endpoint first. For a while, events are signed with the previous secret, too, and with
 * older ones that haven't expired.
 */
export const putSecret = (
  queries: Queries,
  owner: EndpointOwner,
  id: string,
  { secret, oldSecretUntil, older, now }: { secret: string; oldSecretUntil: number; older: OldSecret[]; now: number },
): Promise<number> =>
  queries.run(
    `update event_endpoints set old_secret = secret, old_secret_until = $5, secret = $4, older_secrets = $7,
      changed_at = $6 where ${OWNED} and id = $3`,
    [...valuesOf(owner), id, secret, oldSecretUntil, now, JSON.stringify(older)],
  );

/** Begins a replay. Returns 0 if another replay is in progress. */
export const beginReplay = (
  queries: Queries,
  owner: EndpointOwner,
  id: string,
  { after, upTo, now }: { after: number; upTo: number; now: number },
): Promise<number> =>
  queries.run(
    `update event_endpoints set replay_position = $4, replay_until = $5, changed_at = $6
      where ${OWNED} and id = $3 and replay_until is null and inactive_reason is null`,
    [...valuesOf(owner), id, after, upTo, now],
  );

/** Makes the next retry of these endpoints due no later than `at`. */
export const hastenRetry = (queries: Queries, ids: readonly string[], at: number): Promise<number> =>
  queries.runFrom(
    { columns: { id: 'text', at: 'bigint' }, rows: ids.map((id) => [id, at]) },
    `update event_endpoints set retry_at = rows.at from rows
      where event_endpoints.id = rows.id and (retry_at is null or retry_at > rows.at)`,
  );

export const deleteEndpointsOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  const where = 'endpoint_id in (select id from event_endpoints where team_id = $1)';
  await deleteInPieces(queries, { from: 'event_retries', key: 'endpoint_id, event_id', where }, [teamId], pace);
  await queries.run('delete from event_endpoints where team_id = $1', [teamId]);
};

export const endEndpointsOfTeam = (tx: Transaction, teamId: string, now: number): Promise<number> =>
  tx.run(
    `update event_endpoints set inactive_reason = 'paused', inactive_since = $2, changed_at = $2 where team_id = $1`,
    [teamId, now],
  );
