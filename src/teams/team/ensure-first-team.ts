import { type Database, type Queries, takeSetupTurn } from '../../platform/index.ts';
import { listAccessTokens } from '../records/access-token-store.ts';
import { addUser } from '../records/add-user.ts';
import type { Team } from '../records/team.ts';
import { getFirstTeamId } from '../records/team-store.ts';
import { getFirstAdmin, type User } from '../records/user-store.ts';
import { type CreateTeamDependencies, createTeam } from './create-team.ts';

const FIRST_TEAM_NAME = 'First team';

/** An empty database gets a first team and its admin. Null if there already is one. */
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

/** The first team's admin, if nobody has used it yet: no sign-in and no access token. */
export const findUntouchedAdmin = async (queries: Queries): Promise<User | undefined> => {
  const teamId = await getFirstTeamId(queries);
  const admin = teamId ? await getFirstAdmin(queries, teamId) : undefined;
  if (!teamId || !admin || admin.signedInAt !== null) return undefined;
  return (await listAccessTokens(queries, { teamId, userId: null }, null, 1)).length === 0 ? admin : undefined;
};
