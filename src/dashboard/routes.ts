import { type Routes, sendPage } from '../http/index.ts';
import type { Database } from '../platform/index.ts';
import { getTeam, getUser } from '../teams/index.ts';
import { homePage } from './home-page.ts';

export const dashboardRoutes =
  ({ database }: { database: Database }): Routes =>
  (server) => {
    server.get(
      '/',
      { schema: { hide: true }, config: { access: 'anyone_or_caller', page: true }, exposeHeadRoute: true },
      async (request, reply) => {
        const { caller } = request;
        if (!caller?.csrfToken) return reply.redirect('/sign-in?returnTo=%2F', 303);
        const user = await getUser(database, caller.teamId, caller.userId);
        const team = await getTeam(database, caller.teamId);
        const view = {
          who: user?.email ?? user?.name ?? '',
          team: team?.name ?? '',
          role: caller.role,
          csrfToken: caller.csrfToken,
        };
        return sendPage(reply, 200, homePage(view));
      },
    );
  };
