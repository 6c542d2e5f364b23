import { callerOf, type Routes } from '../../http/index.ts';
import { type Clock, type Database, type NewId, Type, toIso } from '../../platform/index.ts';
import { actorOf } from '../records/record-audit.ts';
import { type Team, TeamSettings } from '../records/team.ts';
import { getTeam } from '../records/team-store.ts';
import { changeTeam } from './change-team.ts';

const TeamAnswer = Type.Object({
  team: Type.Object({ id: Type.String(), ...TeamSettings.properties, createdAt: Type.String({ format: 'date-time' }) }),
});

const toAnswer = ({ createdAt, ...team }: Team) => ({ team: { ...team, createdAt: toIso(createdAt) } });

export const teamRoutes =
  (dependencies: { database: Database; clock: Clock; newId: NewId }): Routes =>
  (server) => {
    server.get(
      '/api/team',
      {
        config: { access: 'member' },
        schema: { tags: ['team'], summary: "Get the caller's team", response: { 200: TeamAnswer } },
      },
      async (request) => {
        const team = await getTeam(dependencies.database, callerOf(request).teamId);
        if (!team) throw new Error("The caller's team does not exist.");
        return toAnswer(team);
      },
    );

    server.patch(
      '/api/team',
      {
        config: { access: 'admin' },
        schema: {
          tags: ['team'],
          summary: "Change the team's settings",
          body: Type.Partial(TeamSettings, { additionalProperties: false }),
          response: { 200: TeamAnswer },
        },
      },
      async (request) =>
        toAnswer(await changeTeam(dependencies, callerOf(request).teamId, actorOf(request), request.body)),
    );
  };
