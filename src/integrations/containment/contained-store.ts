import { BEFORE_IDS, defineRow, deleteInPieces, type Queries, selectFields } from '../../platform/index.ts';
import type { ContainedConnection, ContainedState } from './containment.ts';

const TYPES = {
  containmentId: 'text',
  connectionId: 'text',
  teamId: 'text',
  provider: 'text',
  name: 'text',
  connectedAt: 'bigint',
  accountId: 'text',
  accountLabel: 'text',
  grantKey: 'text',
  state: 'text',
  changedAt: 'bigint',
  revocationId: 'text',
  dueAt: 'bigint',
} as const satisfies Record<keyof ContainedConnection, 'text' | 'bigint'>;
const ROW = defineRow(TYPES);
const COLUMNS = Object.keys(ROW.columns).join(', ');
const SELECT = `select ${selectFields(Object.keys(TYPES))} from contained_connections`;

/** Adds connections to ledgers. Those that are in already stay as they are. */
export const insertContained = (queries: Queries, rows: readonly ContainedConnection[]): Promise<number> =>
  queries.runFrom(
    ROW.toTable(rows),
    `insert into contained_connections (${COLUMNS}) select ${COLUMNS} from rows where true on conflict do nothing`,
  );

/** Lists a ledger by connection. `teamId`: only that team's connections. */
export const listLedger = (
  queries: Queries,
  { containmentId, teamId }: { containmentId: string; teamId: string | null },
  after: string | null,
  limit: number,
): Promise<ContainedConnection[]> =>
  queries.all(
    `${SELECT} where containment_id = $1 and team_id = coalesce($2, team_id) and connection_id > $3
      order by connection_id limit $4`,
    [containmentId, teamId, after ?? BEFORE_IDS, limit],
  );

export const getContained = (
  queries: Queries,
  { containmentId, connectionId }: Pick<ContainedConnection, 'containmentId' | 'connectionId'>,
): Promise<ContainedConnection | undefined> =>
  queries.get(`${SELECT} where containment_id = $1 and connection_id = $2`, [containmentId, connectionId]);

/** Whether something is left to begin, or to wait for. */
export const hasOpen = async (queries: Queries, containmentId: string): Promise<boolean> => {
  const sql = `select 1 as one from contained_connections
    where containment_id = $1 and (due_at is not null or state = 'pending') limit 1`;
  return (await queries.get(sql, [containmentId])) !== undefined;
};

/** Lists the providers whose grants are to be revoked. Queries the index once per provider. */
export const listProvidersToRevoke = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.all<{ provider: string }>(
    `with recursive known (provider) as (
      select min(provider) from contained_connections where due_at is not null
      union all
      select (select min(provider) from contained_connections where due_at is not null and provider > known.provider)
        from known where known.provider is not null
    ) select provider from known where provider is not null`,
  );
  return rows.map(({ provider }) => provider);
};

/** Lists connections of one provider whose revocation is to begin, for all teams. */
export const listToRevoke = (
  queries: Queries,
  { provider, now, limit }: { provider: string; now: number; limit: number },
): Promise<ContainedConnection[]> =>
  queries.all(`${SELECT} where provider = $1 and due_at <= $2 order by due_at, connection_id limit $3`, [
    provider,
    now,
    limit,
  ]);

/**
 * Locks a ledger's connections with this grant, so that of several that are worked on at once, the last one knows that
 * it's the last. Returns those that are still to begin.
 */
export const lockSameGrant = async (
  queries: Queries,
  { containmentId, grantKey }: Pick<ContainedConnection, 'containmentId' | 'grantKey'>,
): Promise<string[]> => {
  if (grantKey === null) return [];
  const rows = await queries.all<{ connectionId: string; dueAt: number | null }>(
    `select connection_id as "connectionId", due_at as "dueAt" from contained_connections
      where containment_id = $1 and grant_key = $2 order by connection_id for update`,
    [containmentId, grantKey],
  );
  return rows.filter(({ dueAt }) => dueAt !== null).map(({ connectionId }) => connectionId);
};

type Told = { state: ContainedState; now: number };

/** What was consented to: a connection's grant, until somebody connects it again. */
type Consented = Pick<ContainedConnection, 'connectionId' | 'connectedAt'>;

export const toConsented = ({ id, connectedAt }: { id: string; connectedAt: number }): Consented => ({
  connectionId: id,
  connectedAt,
});

/** Says in all ledgers what became of a connection's grant. Nothing is left to begin for it. */
export const settleConnection = (
  queries: Queries,
  { connectionId, connectedAt }: Consented,
  { state, now }: Told,
): Promise<number> =>
  queries.run(
    `update contained_connections set state = $3, changed_at = $4, due_at = null, revocation_id = null
      where connection_id = $1 and connected_at = $2`,
    [connectionId, connectedAt, state, now],
  );

/** Ties a connection's grant in all ledgers to its revocation, which says later what became of it. */
export const awaitRevocation = (
  queries: Queries,
  { connectionId, connectedAt }: Consented,
  revocationId: string,
  now: number,
): Promise<number> =>
  queries.run(
    `update contained_connections set state = 'pending', changed_at = $4, due_at = null, revocation_id = $3
      where connection_id = $1 and connected_at = $2`,
    [connectionId, connectedAt, revocationId, now],
  );

/**
 * Says in all ledgers what became of a revocation, also for the connections that shared its grant and were contained
 * before.
 */
export const settleRevocation = async (queries: Queries, revocationId: string, { state, now }: Told): Promise<void> => {
  await queries.run(
    `update contained_connections set state = $2, changed_at = $3 where state = 'shared'
      and (containment_id, grant_key) in (select containment_id, grant_key from contained_connections
        where revocation_id = $1 and grant_key is not null)`,
    [revocationId, state, now],
  );
  await queries.run(
    'update contained_connections set state = $2, changed_at = $3, revocation_id = null where revocation_id = $1',
    [revocationId, state, now],
  );
};

/** Begins a connection's revocation later. */
export const postponeRevocation = (
  queries: Queries,
  { containmentId, connectionId }: Pick<ContainedConnection, 'containmentId' | 'connectionId'>,
  dueAt: number,
): Promise<number> =>
  queries.run(
    `update contained_connections set due_at = $3
      where containment_id = $1 and connection_id = $2 and due_at is not null`,
    [containmentId, connectionId, dueAt],
  );

/** Begins nothing more for these connections of a containment that was lifted. */
export const cancelRevocations = (
  queries: Queries,
  containmentId: string,
  connectionIds: readonly string[],
): Promise<number> =>
  queries.runFrom(
    {
      columns: { containment_id: 'text', connection_id: 'text' },
      rows: connectionIds.map((id) => [containmentId, id]),
    },
    `update contained_connections set due_at = null where due_at is not null
      and (containment_id, connection_id) in (select containment_id, connection_id from rows)`,
  );

/** Removes a team's connections from all ledgers. */
export const deleteContainedOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'contained_connections', key: 'containment_id, connection_id', where: 'team_id = $1' },
    [teamId],
    pace,
  );
