import { deleteInPieces, insertRow, type Queries } from '../../platform/index.ts';

type HeldDelivery = {
  id: string;
  teamId: string;
  accountId: string;
  receivedAt: number;
  bytes: number;
  content: string;
};

export const insertHeld = (queries: Queries, held: HeldDelivery): Promise<number> =>
  insertRow(queries, 'held_deliveries', held);

/** Limits on held deliveries for one account. */
export const MOST_HELD = { count: 1_000, bytes: 10 * 1024 * 1024 } as const;

export const measureHeld = async (queries: Queries, teamId: string, accountId: string) => {
  const row = await queries.get<{ count: number; bytes: number | null }>(
    `select count(*) as count, sum(bytes) as bytes from held_deliveries where team_id = $1 and account_id = $2`,
    [teamId, accountId],
  );
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
};

const SELECTED = 'id, team_id as "teamId", account_id as "accountId", received_at as "receivedAt", bytes, content';

/**
 * Lists held deliveries in the order in which they arrived. Only ids are returned, because the contents may be large.
 */
export const listHeldIds = async (queries: Queries, teamId: string, accountId: string): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    'select id from held_deliveries where team_id = $1 and account_id = $2 order by received_at, id',
    [teamId, accountId],
  );
  return rows.map(({ id }) => id);
};

export const getHeldDelivery = (queries: Queries, teamId: string, id: string): Promise<HeldDelivery | undefined> =>
  queries.get<HeldDelivery>(`select ${SELECTED} from held_deliveries where team_id = $1 and id = $2`, [teamId, id]);

export const listHeldAfter = (queries: Queries, teamId: string, after: string, limit: number) =>
  queries.all<HeldDelivery>(
    `select ${SELECTED} from held_deliveries where team_id = $1 and id > $2 order by id limit $3`,
    [teamId, after, limit],
  );

export const deleteHeld = (queries: Queries, teamId: string, id: string): Promise<number> =>
  queries.run('delete from held_deliveries where team_id = $1 and id = $2', [teamId, id]);

export const deleteHeldOfAccount = (queries: Queries, teamId: string, accountId: string): Promise<number> =>
  queries.run('delete from held_deliveries where team_id = $1 and account_id = $2', [teamId, accountId]);

export const deleteHeldBefore = (queries: Queries, before: number): Promise<number> =>
  deleteInPieces(queries, { from: 'held_deliveries', key: 'id', where: 'received_at < $1' }, [before]);

export const deleteHeldOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'held_deliveries', key: 'id', where: 'team_id = $1' }, [teamId], pace);
