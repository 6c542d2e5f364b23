import { deleteInPieces, type Queries, type Value } from '../../platform/index.ts';
import type { Approval } from './approval.ts';

type Which = Pick<Approval, 'teamId' | 'id'>;

/** Lists tokens that have ended, and about which something is left. */
export const listEndedTokens = async (queries: Queries, limit: number): Promise<string[]> => {
  const sql = 'select id from approval_tokens where living_id is null order by id limit $1';
  return (await queries.all<{ id: string }>(sql, [limit])).map(({ id }) => id);
};

/** How many approvals one statement deletes. Each may have a large body and a large response. */
const PIECE = 20;

/** Deletes approvals with what is large of them, a few at a time. */
const deleteThose = async (
  queries: Queries,
  where: string,
  values: Value[],
  pace: () => Promise<void>,
): Promise<void> => {
  const sql = `select team_id as "teamId", id from approvals where ${where} limit ${PIECE}`;
  for (;;) {
    const piece = await queries.all<Which>(sql, values);
    const rows = piece.map(({ teamId, id }) => [teamId, id]);
    const doomed = { columns: { team_id: 'text', id: 'text' }, rows } as const;
    await queries.runFrom(
      doomed,
      'delete from approval_contents where (team_id, approval_id) in (select team_id, id from rows)',
    );
    await queries.runFrom(doomed, 'delete from approvals where (team_id, id) in (select team_id, id from rows)');
    if (piece.length < PIECE) return;
    await pace();
  }
};

/** Deletes what a token that has ended had asked for, except what is on its way. */
export const deleteApprovalsOfToken = async (
  queries: Queries,
  tokenId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  await deleteThose(queries, "token_id = $1 and state not in ('waiting', 'sending')", [tokenId], pace);
  await queries.run(
    'delete from approval_tokens where id = $1 and not exists (select 1 from approvals a where a.token_id = $1)',
    [tokenId],
  );
};

export const deleteApprovalsBefore = (queries: Queries, before: number, pace: () => Promise<void>): Promise<void> =>
  deleteThose(queries, 'requested_at < $1', [before], pace);

export const deleteApprovalsOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  const contents = { from: 'approval_contents', key: 'team_id, approval_id', piece: PIECE };
  await deleteInPieces(queries, { ...contents, where: 'team_id = $1' }, [teamId], pace);
  await deleteThose(queries, 'team_id = $1', [teamId], pace);
  await deleteInPieces(queries, { from: 'approval_tokens', key: 'id', where: 'team_id = $1' }, [teamId], pace);
};

/**
 * For a copy of the database, such as a backup that is restored: the original may have sent, or may still send, what was
 * approved or waits. So nothing of it is sent by the copy.
 */
export const setApprovalsApart = async (queries: Queries, now: number): Promise<void> => {
  await queries.run(
    `delete from approval_contents where (team_id, approval_id) in
      (select team_id, id from approvals where state = 'waiting')`,
    [],
  );
  await queries.run(`update approvals set state = 'expired', ended_at = $1 where state = 'waiting'`, [now]);
  await queries.run(
    `update approvals set state = 'unclear', lease_until = null, ended_at = $1 where state = 'sending'`,
    [now],
  );
};
