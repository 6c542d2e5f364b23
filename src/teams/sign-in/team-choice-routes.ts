import { callerOf, describeWanted, type Routes, sendPage, unauthorized, useForms } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { listMemberships } from '../records/membership-store.ts';
import { actorOf } from '../records/record-audit.ts';
import type { SignInDependencies } from '../sessions/begin-session.ts';
import { type Door, giveSession, leadToWanted } from './let-in.ts';
import { switchTeam } from './switch-team.ts';
import { teamChoicePage } from './team-choice-page.ts';

export const CHOOSE_TEAM_PATH = '/teams';
export const SWITCH_TEAM_PATH = '/teams/switch';

type Dependencies = SignInDependencies & { door: Door };

/** For someone in several teams: which one, after signing in and from any page. */
export const teamChoiceRoutes =
  (dependencies: Dependencies): Routes =>
  async (server) => {
    const { database, door } = dependencies;
    const page = { access: 'member', page: true } as const;
    useForms(server);

    const sessionOf = (request: Parameters<typeof callerOf>[0]) => {
      const { teamId, userId, sessionId, csrfToken } = callerOf(request);
      if (sessionId === undefined || csrfToken === undefined) throw unauthorized(describeWanted('member'));
      return { teamId, userId, sessionId, csrfToken };
    };

    server.get(CHOOSE_TEAM_PATH, { schema: { hide: true }, config: page }, async (request, reply) => {
      const session = sessionOf(request);
      const memberships = await listMemberships(database, session);
      if (memberships.length < 2) return leadToWanted(request, reply, door);
      return sendPage(reply, 200, teamChoicePage(memberships, SWITCH_TEAM_PATH, session.csrfToken));
    });

    const body = Type.Object({ team: Type.String() });
    server.post(SWITCH_TEAM_PATH, { schema: { hide: true, body }, config: page }, async (request, reply) => {
      const session = sessionOf(request);
      const { team } = request.body;
      if (team !== session.teamId)
        giveSession(reply, door, await switchTeam(dependencies, session, actorOf(request), team));
      return leadToWanted(request, reply, door);
    });
  };
