import type { Queries } from '../../platform/index.ts';
import type { Approval } from './approval.ts';

type Which = Pick<Approval, 'teamId' | 'id'>;

const getField = async (
  queries: Queries,
  { teamId, id }: Which,
  field: 'content' | 'response',
): Promise<string | null> => {
  const sql = `select ${field} as sealed from approval_contents where team_id = $1 and approval_id = $2`;
  return (await queries.get<{ sealed: string | null }>(sql, [teamId, id]))?.sealed ?? null;
};

/** The sealed headers and body. Null once they are erased. */
export const getContent = (queries: Queries, which: Which): Promise<string | null> =>
  getField(queries, which, 'content');

/** The sealed response. Null if there is none, or none any more. */
export const getResponse = (queries: Queries, which: Which): Promise<string | null> =>
  getField(queries, which, 'response');

export const putResponse = (queries: Queries, { teamId, id }: Which, response: string, now: number): Promise<number> =>
  queries.run('update approval_contents set response = $3, answered_at = $4 where team_id = $1 and approval_id = $2', [
    teamId,
    id,
    response,
    now,
  ]);

/** Erases the headers and the body of a request that is never sent. */
export const deleteContent = (queries: Queries, { teamId, id }: Which): Promise<number> =>
  queries.run('delete from approval_contents where team_id = $1 and approval_id = $2', [teamId, id]);

export const eraseResponses = (queries: Queries, answeredBefore: number, limit: number): Promise<number> =>
  queries.run(
    `update approval_contents set response = null where (team_id, approval_id) in
      (select team_id, approval_id from approval_contents
        where response is not null and answered_at < $1 order by answered_at limit $2)`,
    [answeredBefore, limit],
  );
