import type { Queries } from '../platform/index.ts';

/** A team's key, wrapped with a key from the ring. */
export type TeamKeyRow = { id: string; teamId: string; ringKeyId: string; wrapped: string };

const COLUMNS = 'id, team_id as "teamId", ring_key_id as "ringKeyId", wrapped';

export const insertTeamKey = (queries: Queries, key: TeamKeyRow, createdAt: number): Promise<number> =>
  queries.run('insert into team_keys (id, team_id, ring_key_id, wrapped, created_at) values ($1, $2, $3, $4, $5)', [
    key.id,
    key.teamId,
    key.ringKeyId,
    key.wrapped,
    createdAt,
  ]);

export const getTeamKey = (queries: Queries, teamId: string): Promise<TeamKeyRow | undefined> =>
  queries.get<TeamKeyRow>(`select ${COLUMNS} from team_keys where team_id = $1`, [teamId]);

export const deleteTeamKey = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('delete from team_keys where team_id = $1', [teamId]);

/** Lists which of these teams still have their key. */
export const listTeamsWithKey = async (queries: Queries, teamIds: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ teamId: string }>(
    { columns: { team_id: 'text' }, rows: teamIds.map((id) => [id]) },
    'select k.team_id as "teamId" from rows join team_keys k on k.team_id = rows.team_id',
  );
  return rows.map(({ teamId }) => teamId);
};

/** Finds a key by its ID, for values that name their key, but not their team. */
export const getTeamKeyById = (queries: Queries, id: string): Promise<TeamKeyRow | undefined> =>
  queries.get<TeamKeyRow>(`select ${COLUMNS} from team_keys where id = $1`, [id]);

/** Lists one page of the keys of all teams, in the order of their IDs. */
export const listTeamKeysAfter = (queries: Queries, afterId: string, limit: number): Promise<TeamKeyRow[]> =>
  queries.all<TeamKeyRow>(`select ${COLUMNS} from team_keys where id > $1 order by id limit $2`, [afterId, limit]);

export const listTeamKeysNotUnder = (queries: Queries, ringKeyId: string, limit: number): Promise<TeamKeyRow[]> =>
  queries.all<TeamKeyRow>(`select ${COLUMNS} from team_keys where ring_key_id <> $1 order by id limit $2`, [
    ringKeyId,
    limit,
  ]);

/** How many team keys each key in the ring wraps. */
export const countTeamKeys = async (queries: Queries): Promise<Map<string, number>> => {
  const rows = await queries.all<{ id: string; n: number }>(
    'select ring_key_id as id, count(*) as n from team_keys group by ring_key_id',
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
};

/** Replaces a wrapped key only if it's unchanged, so that only one of two simultaneous rotations rewraps it. */
export const replaceWrapping = (queries: Queries, before: TeamKeyRow, after: TeamKeyRow): Promise<number> =>
  queries.run('update team_keys set ring_key_id = $1, wrapped = $2 where id = $3 and wrapped = $4', [
    after.ringKeyId,
    after.wrapped,
    before.id,
    before.wrapped,
  ]);
