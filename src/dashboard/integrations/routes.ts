import type { Routes } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { attempt } from '../form.ts';
import { doneNotice } from '../notice.ts';
import { PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';
import { continuePage } from './connecting/continue-page.ts';
import { DISCONNECTED, disconnectPage } from './connecting/disconnect-page.ts';
import { OUTCOME_QUERY, outcomeNotice } from './connecting/outcome-notice.ts';
import { CREDENTIALS_DONE, credentialPages } from './credential-routes.ts';
import { integrationsPage } from './integrations-page.ts';
import { loadEntries, loadEntry } from './load-entries.ts';
import { providerPage } from './provider-page.ts';
import { ByProvider, prefixed, readPrefixed } from './request.ts';

const DONE_QUERY = { done: Type.Optional(Type.String({ maxLength: 40 })) };

const ListQuery = Type.Object({
  ...OUTCOME_QUERY,
  q: Type.Optional(Type.String({ maxLength: 100 })),
  category: Type.Optional(Type.String({ maxLength: 60 })),
  ...DONE_QUERY,
});

const ProviderQuery = Type.Object({ ...OUTCOME_QUERY, ...DONE_QUERY });

const DONE = { ...DISCONNECTED, ...CREDENTIALS_DONE };

export const integrationPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { integrations, clock } = dependencies;
    credentialPages(dependencies)(server);

    server.get(
      '/integrations',
      { schema: { hide: true, querystring: ListQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { team } = person;
        const entries = await loadEntries(dependencies, team.id);
        const { provider, q = '', category, done, ...outcome } = request.query;
        const entry = entries.find(({ id }) => id === provider);
        const view = {
          entries,
          filter: { q: q.trim(), category: category ?? null },
          timeZone: team.timeZone,
          now: clock.now(),
          notice: entry ? outcomeNotice(entry, outcome) : doneNotice(DISCONNECTED, done),
        };
        return showPage(reply, person, 'integrations', integrationsPage(view));
      },
    );

    server.get(
      '/integrations/:provider',
      { schema: { hide: true, params: ByProvider, querystring: ProviderQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { team, role, csrfToken } = person;
        const { entry, setUp } = await loadEntry(dependencies, team.id, request.params.provider);
        const { provider, done, ...outcome } = request.query;
        const notice = provider === entry.id ? outcomeNotice(entry, outcome) : doneNotice(DONE, done);
        const view = { entry, setUp, timeZone: team.timeZone, isAdmin: role === 'admin', csrfToken, notice };
        return showPage(reply, person, 'integrations', providerPage(view));
      },
    );

    server.get(
      '/integrations/:provider/connect',
      { schema: { hide: true, params: ByProvider, querystring: prefixed({}, 'params') }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { team, role, csrfToken } = person;
        const { entry, setUp } = await loadEntry(dependencies, team.id, request.params.provider);
        const params = readPrefixed(request.query, 'params');
        const checked = await attempt(async () =>
          integrations.checkParams(entry.id, { ...setUp?.client?.params, ...params }),
        );
        if (checked.ok)
          return showPage(reply, person, 'integrations', continuePage({ entry, team: team.name, params }));
        const asked = { params, problem: checked.problem };
        const view = { entry, setUp, timeZone: team.timeZone, isAdmin: role === 'admin', csrfToken, asked };
        return showPage(reply, person, 'integrations', providerPage(view), checked.problem.status);
      },
    );

    server.get(
      '/integrations/:provider/disconnect',
      { schema: { hide: true, params: ByProvider }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { entry, setUp } = await loadEntry(dependencies, person.team.id, request.params.provider);
        if (!entry.connection) return reply.redirect(`/integrations/${entry.id}`, 303);
        const view = { entry, isRevocable: setUp ? setUp.isRevocable : false, csrfToken: person.csrfToken };
        return showPage(reply, person, 'integrations', disconnectPage(view));
      },
    );

    server.post(
      '/integrations/:provider/disconnect',
      { schema: { hide: true, params: ByProvider }, config: PAGE },
      async (request, reply) => {
        const { team } = await loadPerson(dependencies, request);
        const { provider } = request.params;
        const { entry } = await loadEntry(dependencies, team.id, provider);
        const revocation = await integrations.disconnect(team.id, provider, actorOf(request));
        // A provider that has left the catalog has no page without its connection.
        const page = entry.provider ? `/integrations/${provider}` : '/integrations';
        return reply.redirect(`${page}?done=${revocation}`, 303);
      },
    );
  };
