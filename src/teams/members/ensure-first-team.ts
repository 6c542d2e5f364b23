import { takeSetupTurn } from '../../platform/index.ts';
import { COMMAND_LINE } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { LINK_LIFETIME_MS, makeSignInLink } from '../links/make-sign-in-link.ts';
import { listAccessTokens } from '../records/access-token-store.ts';
import { addUser } from '../records/add-user.ts';
import { holderOf } from '../records/holder.ts';
import type { Team } from '../records/team.ts';
import { getFirstTeamId, markFirstTeam } from '../records/team-store.ts';
import { getFirstAdmin, type User } from '../records/user-store.ts';
import { createTeam } from '../team/create-team.ts';
import { addAccessToken } from '../tokens/tokens.ts';

const FIRST_TEAM_NAME = 'First team';

/** Creates the first team and its admin in an empty database. Null if there is a team already. */
export const ensureFirstTeam = (
  context: Pick<TeamsContext, 'database' | 'clock' | 'newId' | 'vault'>,
  adminEmail: string,
): Promise<{ team: Team; admin: User } | null> =>
  context.database.transaction(async (tx) => {
    await takeSetupTurn(tx);
    if (await getFirstTeamId(tx)) return null;
    const team = await createTeam(context, tx, FIRST_TEAM_NAME);
    if (!team) return null;
    await markFirstTeam(tx, team.id);
    return { team, admin: await addUser(context, tx, team.id, { email: adminEmail, name: null, role: 'admin' }) };
  });

/** Creates a link and a token for the first team's admin. Null if anyone has signed in as the admin or made a token. */
export const welcomeFirstAdmin = (
  context: Pick<TeamsContext, 'database' | 'clock' | 'newId' | 'url' | 'limits'>,
): Promise<{ email: string; link: string; token: string } | null> =>
  context.database.transaction(async (tx) => {
    // If several processes start at once, only one of them shows the welcome.
    await takeSetupTurn(tx);
    const teamId = await getFirstTeamId(tx);
    const admin = teamId ? await getFirstAdmin(tx, teamId) : undefined;
    if (!teamId || !admin || admin.signedInAt !== null) return null;
    if ((await listAccessTokens(tx, { teamId, userId: null }, null, 1)).length > 0) return null;
    const link = await makeSignInLink(context, tx, holderOf(admin), LINK_LIFETIME_MS.asked, 'asked');
    const { token } = await addAccessToken(context, tx, holderOf(admin), COMMAND_LINE, { name: 'first start' });
    return { email: admin.email ?? '', link: link.address, token };
  });
