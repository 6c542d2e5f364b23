import { AFTER_IDS, deleteInPieces, insertRow, type Queries, selectFields } from '../../platform/index.ts';
import type { ContainedConnection, Containment, Phase } from './containment.ts';

const FIELDS = [
  'id',
  'teamId',
  'reason',
  'provider',
  'ofTeamId',
  'connectedBefore',
  'tokenId',
  'tokenName',
  'keptTokenId',
  'stopsConnections',
  'revokes',
  'startedAt',
  'phase',
  'listedUpTo',
  'finishedAt',
  'liftedAt',
] as const satisfies readonly (keyof Containment)[];
const SELECT = `select ${selectFields(FIELDS)} from containments`;

export const insertContainment = (queries: Queries, containment: Containment): Promise<number> =>
  insertRow(queries, 'containments', containment);

/** Who asks: a team, or with null the operator. */
export type ContainmentOwner = string | null;

/** SQL for what they began, and for what they see: a team also sees what the operator began about it alone. */
const isOf = (owner: ContainmentOwner): string => (owner === null ? 'team_id is null' : 'team_id = $1');
const isSeenBy = (owner: ContainmentOwner): string => (owner === null ? isOf(null) : 'of_team_id = $1');
const valuesOf = (owner: ContainmentOwner): string[] => (owner === null ? [''] : [owner]);
/** PostgreSQL wants to know the type of a parameter that a statement doesn't use. */
const andUnused = (owner: ContainmentOwner): string => (owner === null ? "and cast($1 as text) = ''" : '');

export const getContainment = (
  queries: Queries,
  owner: ContainmentOwner,
  id: string,
  lock: '' | 'for update' = '',
): Promise<Containment | undefined> =>
  queries.get(`${SELECT} where ${isSeenBy(owner)} ${andUnused(owner)} and id = $2 ${lock}`, [...valuesOf(owner), id]);

/** Lists containments, newest first. */
export const listContainments = (
  queries: Queries,
  owner: ContainmentOwner,
  before: string | null,
  limit: number,
): Promise<Containment[]> =>
  queries.all(`${SELECT} where ${isSeenBy(owner)} ${andUnused(owner)} and id < $2 order by id desc limit $3`, [
    ...valuesOf(owner),
    before ?? AFTER_IDS,
    limit,
  ]);

/** Whether a containment, whoever began it, is in force. */
export const isInForce = async (queries: Queries, id: string, lock: '' | 'for share' = ''): Promise<boolean> =>
  (await queries.get(`select id from containments where id = $1 and lifted_at is null ${lock}`, [id])) !== undefined;

/** Counts the containments in force, and those that were lifted after a time. */
export const countInForce = async (queries: Queries, owner: ContainmentOwner, liftedAfter: number): Promise<number> => {
  const sql = `select count(*) as n from containments
    where ${isOf(owner)} ${andUnused(owner)} and (lifted_at is null or lifted_at > $2)`;
  return (await queries.get<{ n: number }>(sql, [...valuesOf(owner), liftedAfter]))?.n ?? 0;
};

/** Deletes containments of everybody that were lifted before a time, with their ledgers. */
export const deleteLiftedBefore = async (queries: Queries, before: number): Promise<void> => {
  const old = 'select id from containments where lifted_at < $1';
  await deleteInPieces(
    queries,
    { from: 'contained_connections', key: 'containment_id, connection_id', where: `containment_id in (${old})` },
    [before],
  );
  await deleteInPieces(queries, { from: 'containments', key: 'id', where: 'lifted_at < $1' }, [before]);
};

/** Lists the containments with work left, of everybody, oldest first. */
export const listUnderWay = (queries: Queries): Promise<Containment[]> =>
  queries.all(`${SELECT} where phase <> 'done' order by id`);

/** Writes how far the work on a containment has come. Returns 0 if its phase has changed meanwhile. */
export const moveOn = (
  queries: Queries,
  { id, phase }: Pick<Containment, 'id' | 'phase'>,
  next: { phase: Phase; listedUpTo?: string | null; finishedAt?: number | null },
): Promise<number> =>
  queries.run(
    `update containments set phase = $3, listed_up_to = $4, finished_at = coalesce($5, finished_at)
      where id = $1 and phase = $2`,
    [id, phase, next.phase, next.listedUpTo ?? null, next.finishedAt ?? null],
  );

/** Goes on with those that have finished, and now have something to begin or to wait for again because of a grant. */
export const reopenContainments = (
  queries: Queries,
  { connectionId, connectedAt }: Pick<ContainedConnection, 'connectionId' | 'connectedAt'>,
): Promise<number> =>
  queries.run(
    `update containments set phase = 'revoking', finished_at = null
      where phase = 'done' and revokes = 1 and lifted_at is null and id in (select l.containment_id
        from contained_connections l where l.connection_id = $1 and l.connected_at = $2
          and (l.due_at is not null or l.state = 'pending'))`,
    [connectionId, connectedAt],
  );

/** Ends a containment. Returns 0 if it was lifted before. */
export const markLifted = (
  queries: Queries,
  { id, phase }: { id: string; phase: Phase },
  now: number,
): Promise<number> =>
  queries.run(
    'update containments set lifted_at = $2, phase = $3, listed_up_to = null where id = $1 and lifted_at is null',
    [id, now, phase],
  );

/**
 * Deletes the containments that a team's admins began, with their ledgers. The operator's stay, without the name that the
 * team gave to its access token.
 */
export const deleteContainmentsOf = async (queries: Queries, teamId: string): Promise<void> => {
  await queries.run('delete from containments where team_id = $1', [teamId]);
  await queries.run('update containments set token_name = null where of_team_id = $1', [teamId]);
};
