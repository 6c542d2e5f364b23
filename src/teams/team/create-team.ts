import type { Clock, NewId, Transaction } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { FIRST_SETTINGS, type Team } from '../records/team.ts';
import { insertTeam, type Outside } from '../records/team-store.ts';

export type CreateTeamDependencies = { clock: Clock; newId: NewId; vault: Vault };

/** A team and its key. Null if the identity provider's team already exists. */
export const createTeam = async (
  { clock, newId, vault }: CreateTeamDependencies,
  tx: Transaction,
  name: string,
  outside: Outside | null = null,
): Promise<Team | null> => {
  const team: Team = { id: newId(), name, ...FIRST_SETTINGS, createdAt: clock.now() };
  if ((await insertTeam(tx, team, outside)) === 0) return null;
  await vault.addTeamKey(tx, team.id);
  return team;
};
