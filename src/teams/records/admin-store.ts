import type { Queries } from '../../platform/index.ts';
import { IS_HERE } from './user-store.ts';

/** Lists the admins and locks their rows. If two are removed at once, the second removal waits and sees the first. */
export const listAdminIdsForUpdate = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    `select id from users where team_id = $1 and role = 'admin' and removed_at is null order by id for update`,
    [teamId],
  );
  return rows.map(({ id }) => id);
};

/** The email addresses of the team's admins, oldest admin first. A user from an identity provider may have none. */
export const listAdminAddresses = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ email: string }>(
    `select email from users where team_id = $1 and role = 'admin' and ${IS_HERE} and email is not null
      order by id limit 100`,
    [teamId],
  );
  return rows.map(({ email }) => email);
};

/**
 * The verified email addresses of admins: the admin has signed in with an emailed link, is named by an identity
 * provider or the operator, or is the first user of the team. A person who was only invited may be a stranger.
 */
export const listProvedAdminAddresses = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ email: string }>(
    `select email from users where team_id = $1 and role = 'admin' and ${IS_HERE} and email is not null
      and (proved_at is not null or issuer is not null
        or id = (select min(first.id) from users first where first.team_id = $1))
      order by id limit 100`,
    [teamId],
  );
  return rows.map(({ email }) => email);
};
