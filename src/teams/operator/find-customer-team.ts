import type { Queries } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { customerErasing, customerUnknown } from '../errors.ts';
import { isCustomerKey } from '../records/customer-key.ts';
import type { Team } from '../records/team.ts';
import { findTeamByKey, listUnkeyedTeams, putSubjectAsKey } from '../records/team-store.ts';

type Found = Team & { erasing: boolean };

/**
 * Finds a team by its key. A key and a team claim with the same text mean the same team. A team that an identity
 * provider named before keys existed gets its key on the first lookup, even if AUTH_ISSUER has changed since. If
 * several issuers have named a team this way, the team of the current issuer is used.
 */
export const findCustomerTeam = async (
  { identity }: Pick<TeamsContext, 'identity'>,
  queries: Queries,
  key: string,
  lock: '' | 'for update' = '',
): Promise<Found | undefined> => {
  if (!isCustomerKey(key)) return undefined;
  const found = await findTeamByKey(queries, key, lock);
  if (found) return found;
  const named = await listUnkeyedTeams(queries, key);
  const chosen = named.length === 1 ? named[0] : named.find(({ issuer }) => issuer === identity?.issuer);
  if (!chosen) return undefined;
  await putSubjectAsKey(queries, chosen.id);
  return findTeamByKey(queries, key, lock);
};

export const getCustomerTeam = async (
  context: Pick<TeamsContext, 'database' | 'identity'>,
  key: string,
): Promise<Team> => {
  const found = await findCustomerTeam(context, context.database, key);
  if (!found) throw customerUnknown();
  if (found.erasing) throw customerErasing();
  const { erasing: _, ...team } = found;
  return team;
};
