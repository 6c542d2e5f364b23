import { deleteInPieces, type Queries } from '../../platform/index.ts';

export type HeldDelivery = {
  id: string;
  teamId: string;
  accountId: string;
  receivedAt: number;
  bytes: number;
  content: string;
};

export const insertHeld = (queries: Queries, held: HeldDelivery): Promise<number> =>
  queries.run(
    `insert into held_deliveries (id, team_id, account_id, received_at, bytes, content) values ($1, $2, $3, $4, $5, $6)`,
    [held.id, held.teamId, held.accountId, held.receivedAt, held.bytes, held.content],
  );

export const measureHeld = async (
  queries: Queries,
  teamId: string,
  accountId: string,
): Promise<{ count: number; bytes: number }> => {
  const row = await queries.get<{ count: number; bytes: number | null }>(
    `select count(*) as count, sum(bytes) as bytes from held_deliveries where team_id = $1 and account_id = $2`,
    [teamId, accountId],
  );
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
};

const SELECTED = 'id, team_id as "teamId", account_id as "accountId", received_at as "receivedAt", bytes, content';

export const listHeld = (queries: Queries, teamId: string, accountId: string): Promise<HeldDelivery[]> =>
  queries.all<HeldDelivery>(
    `select ${SELECTED} from held_deliveries where team_id = $1 and account_id = $2 order by received_at, id`,
    [teamId, accountId],
  );

export const listHeldAfter = (
  queries: Queries,
  teamId: string,
  after: string,
  limit: number,
): Promise<HeldDelivery[]> =>
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
