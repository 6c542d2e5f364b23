import formBody from '@fastify/formbody';
import { callerOf, type Routes, sendPage } from '../http/index.ts';
import { type Clock, type Database, type NewId, toIso } from '../platform/index.ts';
import { actorOf, createAccessToken, getTeam, getUser } from '../teams/index.ts';
import { homePage, tokenPage } from './home-page.ts';

export type DashboardDependencies = { database: Database; clock: Clock; newId: NewId; forgetCallers(): void };

export const dashboardRoutes =
  (dependencies: DashboardDependencies): Routes =>
  async (server) => {
    const { database } = dependencies;
    await server.register(formBody);

    server.get(
      '/',
      { schema: { hide: true }, config: { access: 'anyone_or_caller', page: true }, exposeHeadRoute: true },
      async (request, reply) => {
        const { caller } = request;
        if (!caller?.csrfToken) return reply.redirect('/sign-in?returnTo=%2F', 303);
        const user = await getUser(database, caller.teamId, caller.userId);
        const team = await getTeam(database, caller.teamId);
        const who = user?.email ?? user?.name ?? '';
        const view = { who, team: team?.name ?? '', role: caller.role, csrfToken: caller.csrfToken };
        return sendPage(reply, 200, homePage(view));
      },
    );

    server.post(
      '/access-token',
      { schema: { hide: true }, config: { access: 'member', page: true } },
      async (request, reply) => {
        const made = await createAccessToken(dependencies, callerOf(request), actorOf(request), {
          name: 'from the browser',
        });
        return sendPage(reply, 200, tokenPage(made.token, toIso(made.expiresAt)));
      },
    );
  };
