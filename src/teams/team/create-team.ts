import type { Transaction } from '../../platform/index.ts';
import type { TeamsContext } from '../records/context.ts';
import { FIRST_SETTINGS, type Team } from '../records/team.ts';
import { insertTeam, type Outside } from '../records/team-store.ts';

/** A team and its key. Null if the identity provider's team already exists. */
export const createTeam = async (
  { clock, newId, vault }: Pick<TeamsContext, 'clock' | 'newId' | 'vault'>,
  tx: Transaction,
  name: string,
  outside: Outside | null = null,
): Promise<Team | null> => {
  const team: Team = { id: newId(), name, ...FIRST_SETTINGS, createdAt: clock.now() };
  if ((await insertTeam(tx, team, outside)) === 0) return null;
  await vault.addTeamKey(tx, team.id);
  return team;
};
