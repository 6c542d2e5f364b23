import type { Database } from '../../platform/index.ts';
import { holderOf } from '../links/sign-in-link.ts';
import type { Holder } from '../records/credential-store.ts';
import type { OutsideIdentity } from '../records/outside-identity.ts';
import { findOutsideTeam } from '../records/team-store.ts';
import { findOutsideUser, insertUser, type User, updateUser } from '../records/user-store.ts';
import { type CreateTeamDependencies, createTeam } from '../team/create-team.ts';

type Dependencies = CreateTeamDependencies & { database: Database };

const ensureTeam = async (dependencies: Dependencies, { issuer, team }: OutsideIdentity): Promise<string> => {
  const outside = { issuer, subject: team };
  const known = await findOutsideTeam(dependencies.database, outside);
  if (known) return known.id;
  const made = await dependencies.database.transaction((tx) => createTeam(dependencies, tx, team, outside));
  // Null: another request made it at the same moment.
  return made?.id ?? (await findOutsideTeam(dependencies.database, outside))?.id ?? '';
};

const ensureUser = async ({ database, clock, newId }: Dependencies, teamId: string, identity: OutsideIdentity) => {
  const outside = { issuer: identity.issuer, subject: identity.user };
  const known = await findOutsideUser(database, teamId, outside);
  if (known) return known;
  const { role, email, name } = identity;
  const user: User = {
    id: newId(),
    teamId,
    email,
    name,
    role,
    outside: true,
    createdAt: clock.now(),
    signedInAt: null,
  };
  await insertUser(database, user, outside);
  return findOutsideUser(database, teamId, outside);
};

/**
 * Finds the team and the user that a token names, or creates them the first time. Both are known by issuer and claim,
 * never by our ids. Someone in two of the provider's teams is a user of each. Null for a member who was removed here.
 */
export const admitOutsideUser = async (
  dependencies: Dependencies,
  identity: OutsideIdentity,
): Promise<Holder | null> => {
  const user = await ensureUser(dependencies, await ensureTeam(dependencies, identity), identity);
  if (!user || user.removed) return null;
  const { role, email, name } = identity;
  // The provider decides, with every token. The row follows, for the list of members.
  if (user.role !== role || user.email !== email || user.name !== name) {
    await updateUser(dependencies.database, { ...user, role, email, name });
  }
  return holderOf({ ...user, role });
};
