import type { Queries } from '../../platform/index.ts';
import type { Holder } from './holder.ts';

/** Whether the user has verified their email address. */
export const hasProvedAddress = async (
  queries: Queries,
  { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>,
): Promise<boolean> => {
  const sql = 'select id from users where team_id = $1 and id = $2 and proved_at is not null';
  return (await queries.get(sql, [teamId, userId])) !== undefined;
};

/** Whether the user has ever verified an email address. Stays true after the operator changes that address. */
export const hasEverProved = async (
  queries: Queries,
  { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>,
): Promise<boolean> => {
  const sql = `select id from users
    where team_id = $1 and id = $2 and (proved_at is not null or reclaimed_at is not null)`;
  return (await queries.get(sql, [teamId, userId])) !== undefined;
};

/** Forgets the proof, because the user's address has changed. */
export const forgetProof = (queries: Queries, { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>): Promise<number> =>
  queries.run('update users set proved_at = null where team_id = $1 and id = $2', [teamId, userId]);

export const markSignedIn = (
  queries: Queries,
  { teamId, userId }: Holder,
  at: number,
  provesAddress: boolean,
): Promise<number> =>
  queries.run(
    `update users set signed_in_at = $1${provesAddress ? ', proved_at = $1' : ''} where team_id = $2 and id = $3`,
    [at, teamId, userId],
  );

/** Invalidates everything that was begun in the user's name before this time, such as a connect in progress. */
export const markReclaimed = (
  queries: Queries,
  { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>,
  at: number,
): Promise<number> =>
  queries.run('update users set reclaimed_at = $1 where team_id = $2 and id = $3', [at, teamId, userId]);
