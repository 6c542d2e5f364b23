import { BEFORE_IDS, defineRow, deleteInPieces, type Queries, selectFields } from '../../platform/index.ts';
import { LISTED_CONTAINMENTS } from './consent-store.ts';
import { CONTAINED, type ContainedConnection, type ContainedState } from './containment.ts';
import { reopenContainments } from './containment-store.ts';

const TYPES = {
  containmentId: 'text',
  connectionId: 'text',
  teamId: 'text',
  provider: 'text',
  name: 'text',
  connectedAt: 'bigint',
  accountId: 'text',
  accountLabel: 'text',
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
  queries.all(`${SELECT} where provider = $1 and due_at <= $2 order by due_at limit $3`, [provider, now, limit]);

type Told = { state: ContainedState; now: number };

/** What was consented to: a connection's grant, until somebody connects it again. */
type Consented = Pick<ContainedConnection, 'connectionId' | 'connectedAt'>;

export const toConsented = ({ id, connectedAt }: { id: string; connectedAt: number }): Consented => ({
  connectionId: id,
  connectedAt,
});

/** Says in all ledgers what became of a connection's grant, unless a revocation will say it. Nothing is left to begin. */
export const settleConnection = (
  queries: Queries,
  { connectionId, connectedAt }: Consented,
  { state, now }: Told,
): Promise<number> =>
  queries.run(
    `update contained_connections set state = $3, changed_at = $4, due_at = null, revocation_id = null
      where connection_id = $1 and connected_at = $2 and revocation_id is null`,
    [connectionId, connectedAt, state, now],
  );

/** Ties a connection's grant in all ledgers to its revocation, which says later what became of it. */
export const awaitRevocation = async (
  queries: Queries,
  consented: Consented,
  revocationId: string,
  now: number,
): Promise<void> => {
  const { connectionId, connectedAt } = consented;
  await queries.run(
    `update contained_connections set state = 'pending', changed_at = $4, due_at = null, revocation_id = $3
      where connection_id = $1 and connected_at = $2`,
    [connectionId, connectedAt, revocationId, now],
  );
  await reopenContainments(queries, consented);
};

/** Says in all ledgers what became of a revocation. */
export const settleRevocation = (queries: Queries, revocationId: string, { state, now }: Told): Promise<number> =>
  queries.run(
    'update contained_connections set state = $2, changed_at = $3, revocation_id = null where revocation_id = $1',
    [revocationId, state, now],
  );

/** What a ledger says became of a connection's grant. Undefined if none does. */
export const getSettled = (
  queries: Queries,
  { connectionId, connectedAt }: Consented,
): Promise<{ state: ContainedState } | undefined> =>
  queries.get(
    `select state from contained_connections where connection_id = $1 and connected_at = $2 and state is not null
      order by changed_at desc limit 1`,
    [connectionId, connectedAt],
  );

/** SQL for what another ledger says of the same grant. */
const known = (column: string): string => `(select o.${column} from contained_connections o
  where o.connection_id = contained_connections.connection_id and o.connected_at = contained_connections.connected_at
    and o.state is not null order by o.changed_at desc limit 1)`;

/** SQL that holds while a connection still has the tokens of a row of a ledger. */
const HAS_TOKENS = `exists (select 1 from connections c where c.id = contained_connections.connection_id
  and c.connected_at = contained_connections.connected_at and coalesce(c.reason, '') <> '${CONTAINED}')`;

/**
 * Tells new rows of a ledger what other ledgers say became of the same grants, and when. If a grant is to be revoked and
 * its tokens are still there, it's tried anew: what was in the way may be gone.
 */
export const copySettled = (
  queries: Queries,
  containmentId: string,
  connectionIds: readonly string[],
): Promise<number> =>
  queries.runFrom(
    {
      columns: { containment_id: 'text', connection_id: 'text' },
      rows: connectionIds.map((id) => [containmentId, id]),
    },
    `update contained_connections set state = ${known('state')}, revocation_id = ${known('revocation_id')},
        changed_at = ${known('changed_at')}, due_at = null
      where (containment_id, connection_id) in (select containment_id, connection_id from rows)
        and state is null and ${known('state')} is not null and (due_at is null or not ${HAS_TOKENS})`,
  );

type Stopped = Omit<
  ContainedConnection,
  'containmentId' | 'connectionId' | 'state' | 'revocationId' | 'changedAt' | 'dueAt'
> & {
  id: string;
};

/** The new row of a ledger. */
export const toContained = (
  { id: containmentId, revokes }: { id: string; revokes: 0 | 1 },
  { id: connectionId, teamId, provider, name, connectedAt, accountId, accountLabel }: Stopped,
  now: number,
): ContainedConnection => ({
  ...{ containmentId, connectionId, teamId, provider, name, connectedAt, accountId, accountLabel },
  ...{ state: null, revocationId: null, changedAt: now, dueAt: revokes ? now : null },
});

/**
 * Adds a connection to the ledgers of all containments that stop it: because it's about to be replaced or removed, or was
 * just stored with a time before their start.
 */
export const keepInLedgers = async (queries: Queries, connection: Stopped, now: number): Promise<void> => {
  const { id, teamId, provider, connectedAt } = connection;
  const stopping = await queries.allFrom<{ id: string; revokes: 0 | 1 }>(
    {
      columns: { id: 'text', team_id: 'text', provider: 'text', connected_at: 'bigint' },
      rows: [[id, teamId, provider, connectedAt]],
    },
    LISTED_CONTAINMENTS,
  );
  if (stopping.length === 0) return;
  await insertContained(
    queries,
    stopping.map((containment) => toContained(containment, connection, now)),
  );
  for (const containment of stopping) await copySettled(queries, containment.id, [id]);
  await reopenContainments(queries, toConsented(connection));
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
