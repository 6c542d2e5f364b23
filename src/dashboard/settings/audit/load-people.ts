import type { Database } from '../../../platform/index.ts';
import { type AuditEvent, listUserNames } from '../../../teams/index.ts';
import { memberName } from '../members/members-page.ts';
import type { People } from './audit-words.ts';

/** Loads the names of the people in the entries, and of one more person. */
export const loadPeople = async (
  database: Database,
  teamId: string,
  events: readonly Pick<AuditEvent, 'actorId' | 'target'>[],
  who?: string,
): Promise<People> => {
  const named = [...events.flatMap(({ actorId, target }) => [actorId, target]), who];
  const ids = new Set(named.filter((id) => id !== null && id !== undefined));
  const users = await listUserNames(database, teamId, [...ids]);
  return {
    names: new Map(users.map((user) => [user.id, `${memberName(user)}${user.isRemoved ? ' (removed)' : ''}`])),
    operatorId: users.find(({ isOperator }) => isOperator)?.id,
  };
};
