import type { Transaction } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { FIRST_SETTINGS, type Team } from '../records/team.ts';
import { insertTeam, type Outside } from '../records/team-store.ts';

type NewTeam = { timeZone?: string; key?: string | null; outside?: Outside };

/**
 * Creates a team and its encryption key. Null if a team with this key, or with this name at the identity provider,
 * exists.
 */
export const createTeam = async (
  { clock, newId, vault }: Pick<TeamsContext, 'clock' | 'newId' | 'vault'>,
  tx: Transaction,
  name: string,
  { timeZone = FIRST_SETTINGS.timeZone, key = null, outside }: NewTeam = {},
): Promise<Team | null> => {
  const team: Team = { id: newId(), ...FIRST_SETTINGS, key, name, timeZone, createdAt: clock.now() };
  if ((await insertTeam(tx, team, outside ?? null)) === 0) return null;
  await vault.addTeamKey(tx, team.id);
  return team;
};
