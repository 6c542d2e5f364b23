import { callerOf, type Routes, routeOptions, withRight } from '../../http/index.ts';
import { Type, toIso } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import { type Team, TeamSettings } from '../records/team.ts';
import type { TeamRegister } from './team-register.ts';

const TeamView = Type.Object({
  team: Type.Object(
    {
      id: Type.String(),
      key: Type.Union([Type.String(), Type.Null()], { description: "What the operator's product calls the team" }),
      ...TeamSettings.properties,
      createdAt: Type.String({ format: 'date-time' }),
    },
    { title: 'Team' },
  ),
});

const toTeamView = ({ createdAt, ...team }: Team) => ({ team: { ...team, createdAt: toIso(createdAt) } });

const forMembers = routeOptions('member', 'team');
const forAdmins = routeOptions('admin', 'team');

export const teamRoutes =
  (teams: TeamRegister): Routes =>
  (server) => {
    server.get(
      '/api/team',
      withRight('status', forMembers({ summary: "Get the caller's team", response: { 200: TeamView } })),
      async (request) => toTeamView(await teams.get(callerOf(request).teamId)),
    );

    server.patch(
      '/api/team',
      forAdmins({
        summary: "Change the team's settings",
        body: Type.Partial(TeamSettings, { additionalProperties: false }),
        response: { 200: TeamView },
      }),
      async (request) => toTeamView(await teams.change(callerOf(request).teamId, actorOf(request), request.body)),
    );
  };
