import type { Queries } from '../../platform/index.ts';
import { IS_HERE } from './user-store.ts';

/** Lists the admins and locks their rows, so that one of two simultaneous removals sees the other. */
export const listAdminIdsForUpdate = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    `select id from users where team_id = $1 and role = 'admin' and removed_at is null order by id for update`,
    [teamId],
  );
  return rows.map(({ id }) => id);
};

/**
 * The addresses of the team's admins, oldest admin first. A user from an outside identity provider may have no address.
 */
export const listAdminAddresses = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ email: string }>(
    `select email from users where team_id = $1 and role = 'admin' and ${IS_HERE} and email is not null
      order by id limit 100`,
    [teamId],
  );
  return rows.map(({ email }) => email);
};

/**
 * The addresses of admins who are known to own them: the admin has signed in with a link from the mailbox, is named by
 * an identity provider or the operator, or is the first user of the team. A person who was only invited may be a
 * stranger.
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
