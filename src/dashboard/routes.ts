import formBody from '@fastify/formbody';
import { Type } from 'typebox';
import { callerOf, type Routes, sendPage } from '../http/index.ts';
import type { Integrations } from '../integrations/index.ts';
import { type Clock, type Database, type NewId, toIso } from '../platform/index.ts';
import { actorOf, createAccessToken, getUser } from '../teams/index.ts';
import { homePage, tokenPage } from './home-page.ts';
import { disconnectedPage } from './integrations-section.ts';
import { OutcomeQuery, outcomeNotice } from './outcome-notice.ts';

export type DashboardDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  integrations: Integrations;
  forgetCallers(): void;
};

export const dashboardRoutes =
  (dependencies: DashboardDependencies): Routes =>
  async (server) => {
    const { database, integrations } = dependencies;
    await server.register(formBody);

    server.get(
      '/',
      {
        schema: { hide: true, querystring: OutcomeQuery },
        config: { access: 'anyone_or_caller', page: true },
        exposeHeadRoute: true,
      },
      async (request, reply) => {
        const { caller } = request;
        if (!caller?.csrfToken) return reply.redirect(`/sign-in?returnTo=${encodeURIComponent(request.url)}`, 303);
        const user = await getUser(database, caller.teamId, caller.userId);
        const status = await integrations.getStatus(caller.teamId);
        const who = user?.email ?? user?.name ?? '';
        const view = { who, team: status.team.name, role: caller.role, csrfToken: caller.csrfToken };
        const { provider = '', outcome = '', error = '', attempt = '' } = request.query;
        const { name } = status.integrations.find((integration) => integration.provider === provider) ?? {};
        const notice = name ? outcomeNotice({ name, provider, outcome, error, attempt }) : null;
        return sendPage(reply, 200, homePage({ ...view, integrations: status.integrations, notice }));
      },
    );

    server.post(
      '/integrations/:provider/disconnect',
      {
        schema: { hide: true, params: Type.Object({ provider: Type.String({ maxLength: 60 }) }) },
        config: { access: 'member', page: true },
      },
      async (request, reply) => {
        const { provider } = request.params;
        const { teamId } = callerOf(request);
        const revocation = await integrations.disconnect(teamId, provider, actorOf(request));
        const status = await integrations.getStatus(teamId);
        const name = status.integrations.find((integration) => integration.provider === provider)?.name ?? provider;
        return sendPage(reply, 200, disconnectedPage(name, revocation));
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
