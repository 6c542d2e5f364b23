import type { Queries } from '../../platform/index.ts';

/** SQL that holds for an access token that no containment stops. */
export const isNotContained = (token: string): string =>
  `not exists (select 1 from contained_tokens k where k.token_id = ${token}.id)`;

type Contained = {
  containmentId: string;
  teamId: string;
  /** Only this token. Null for all of the team's. */
  tokenId: string | null;
  /** The caller's own token, which goes on working. */
  exceptId: string | null;
  /** Tokens that were created later go on working. */
  until: number;
};

const CONCERNED = `from access_tokens where team_id = $1 and id = coalesce($2, id) and id <> coalesce($3, '')
  and created_at <= $4`;

/**
 * Stops access tokens. Returns how many. They're locked first, so that what is just being done with one is either done
 * before, or finds it stopped.
 */
export const insertContainedTokens = async (
  queries: Queries,
  { containmentId, teamId, tokenId, exceptId, until }: Contained,
): Promise<number> => {
  const values = [teamId, tokenId, exceptId, until];
  await queries.all(`select id ${CONCERNED} order by id for update`, values);
  return queries.run(
    `insert into contained_tokens (token_id, containment_id, team_id)
      select id, cast($5 as text), team_id ${CONCERNED} on conflict do nothing`,
    [...values, containmentId],
  );
};

/** Ends what a containment does to access tokens. */
export const deleteContainedTokens = (queries: Queries, containmentId: string): Promise<number> =>
  queries.run('delete from contained_tokens where containment_id = $1', [containmentId]);

/** Lists which of these access tokens are stopped. */
export const listContainedTokens = async (queries: Queries, tokenIds: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { id: 'text' }, rows: tokenIds.map((id) => [id]) },
    'select distinct token_id as id from contained_tokens where token_id in (select id from rows)',
  );
  return rows.map(({ id }) => id);
};
