import { type Database, takeSetupTurn } from '../platform/index.ts';
import { addUser } from './add-user.ts';
import { type CreateTeamDependencies, createTeam } from './create-team.ts';
import type { Team } from './team.ts';
import { getFirstTeamId } from './team-store.ts';
import type { User } from './user-store.ts';

const FIRST_TEAM_NAME = 'First team';

/** An empty database gets a first team and its admin. Null where there is one already. */
export const ensureFirstTeam = (
  dependencies: CreateTeamDependencies & { database: Database },
  adminEmail: string,
): Promise<{ team: Team; admin: User } | null> =>
  dependencies.database.transaction(async (tx) => {
    await takeSetupTurn(tx);
    if (await getFirstTeamId(tx)) return null;
    const team = await createTeam(dependencies, tx, FIRST_TEAM_NAME);
    if (!team) return null;
    return { team, admin: await addUser(dependencies, tx, team.id, { email: adminEmail, name: null, role: 'admin' }) };
  });
