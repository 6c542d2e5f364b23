import type { FastifyRequest } from 'fastify';
import { callerOf, describeWanted, type Routes, sendPage, unauthorized, useForms } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { listMemberships } from '../records/membership-store.ts';
import type { Door } from './door.ts';
import { teamChoicePage } from './sign-in-pages.ts';
import { switchTeam } from './switch-team.ts';

export const CHOOSE_TEAM_PATH = '/teams';
export const SWITCH_TEAM_PATH = '/teams/switch';

/** Routes to choose a team, after signing in and from any page, for a person in several teams. */
export const teamChoiceRoutes =
  (context: TeamsContext, door: Door): Routes =>
  async (server) => {
    const page = { access: 'member', page: true } as const;
    useForms(server);

    const sessionOf = (request: FastifyRequest) => {
      const { teamId, userId, sessionId, csrfToken } = callerOf(request);
      if (sessionId === undefined || csrfToken === undefined) throw unauthorized(describeWanted('member'));
      return { teamId, userId, sessionId, csrfToken };
    };

    server.get(CHOOSE_TEAM_PATH, { schema: { hide: true }, config: page }, async (request, reply) => {
      const session = sessionOf(request);
      const memberships = await listMemberships(context.database, session);
      if (memberships.length < 2) return door.leadToWanted(request, reply);
      return sendPage(reply, 200, teamChoicePage(memberships, SWITCH_TEAM_PATH, session.csrfToken));
    });

    const body = Type.Object({ team: Type.String() });
    server.post(SWITCH_TEAM_PATH, { schema: { hide: true, body }, config: page }, async (request, reply) => {
      const session = sessionOf(request);
      const { team } = request.body;
      if (team !== session.teamId) door.giveSession(reply, await switchTeam(context, session, actorOf(request), team));
      return door.leadToWanted(request, reply);
    });
  };
