import type { Queries, Value } from '../../platform/index.ts';

const GRANTS_LISTED = 500;

/**
 * Deletes those tokens that were granted to clients, one per statement: all that was issued for one goes with it, which
 * can be thousands of rows. Call this before a statement that deletes all tokens of somebody. Awaits `pace` after each.
 */
export const deleteGrants = async (
  queries: Queries,
  where: string,
  values: readonly Value[],
  pace?: () => Promise<void>,
): Promise<number> => {
  const sql = `select id, team_id as "teamId" from access_tokens where ${where} and client is not null
    limit ${GRANTS_LISTED}`;
  for (let deleted = 0; ; ) {
    const grants = await queries.all<{ id: string; teamId: string }>(sql, values);
    if (grants.length === 0) return deleted;
    for (const { id, teamId } of grants) {
      deleted += await queries.run('delete from access_tokens where team_id = $1 and id = $2', [teamId, id]);
      await pace?.();
    }
  }
};
