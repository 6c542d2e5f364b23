import { listUserNames } from '../teams/index.ts';
import type { DashboardContext } from './context.ts';
import type { People } from './settings/audit/audit-words.ts';
import { memberName } from './settings/members/members-page.ts';

/** Loads the names of users, including removed ones. */
export const loadPeople = async (
  { database }: Pick<DashboardContext, 'database'>,
  teamId: string,
  ids: readonly (string | null)[],
): Promise<People> => {
  const wanted = new Set(ids.filter((id) => id !== null));
  const users = await listUserNames(database, teamId, [...wanted]);
  return {
    names: new Map(users.map((user) => [user.id, `${memberName(user)}${user.isRemoved ? ' (removed)' : ''}`])),
    operatorId: users.find(({ isOperator }) => isOperator)?.id,
  };
};
