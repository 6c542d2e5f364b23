import { Type } from 'typebox';
import { callerOf, type Routes } from '../../http/index.ts';
import { actorOf } from '../../teams/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';
import { disconnectedPage, integrationsSection } from './integrations-section.ts';
import { OutcomeQuery, outcomeNotice } from './outcome-notice.ts';

export const integrationPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { integrations } = dependencies;

    server.get(
      '/integrations',
      { schema: { hide: true, querystring: OutcomeQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const status = await integrations.getStatus(person.team.id);
        const { provider = '', outcome = '', error = '', attempt = '' } = request.query;
        const { name } = status.integrations.find((integration) => integration.provider === provider) ?? {};
        const notice = name ? outcomeNotice({ name, provider, outcome, error, attempt }) : null;
        const content = integrationsSection(status.integrations, person.csrfToken, notice);
        return showPage(reply, person, 'integrations', { title: 'Integrations', content });
      },
    );

    server.post(
      '/integrations/:provider/disconnect',
      { schema: { hide: true, params: Type.Object({ provider: Type.String({ maxLength: 60 }) }) }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { provider } = request.params;
        const { teamId } = callerOf(request);
        const revocation = await integrations.disconnect(teamId, provider, actorOf(request));
        const status = await integrations.getStatus(teamId);
        const name = status.integrations.find((integration) => integration.provider === provider)?.name ?? provider;
        return showPage(reply, person, 'integrations', disconnectedPage(name, revocation));
      },
    );
  };
