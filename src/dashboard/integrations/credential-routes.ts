import { callerOf, type Server } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { attempt } from '../form.ts';
import { ADMIN_PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';
import { removeClientPage } from './credentials/remove-client-page.ts';
import { loadEntry } from './load-entries.ts';
import { providerPage } from './provider-page.ts';
import { ByProvider, prefixed, readPrefixed } from './request.ts';

export const CREDENTIALS_DONE = {
  client_saved: "Your team's OAuth app is saved. You can connect now.",
  client_removed: "Your team's OAuth app is removed.",
};

const Text = Type.String({ maxLength: 10_000 });
const Form = prefixed(
  { clientId: Text, clientSecret: Text, isPublic: Type.Optional(Type.Literal('yes')) },
  'registered',
);

/** The team's own OAuth app at a provider. */
export const credentialPages =
  (dependencies: DashboardDependencies) =>
  (server: Server): void => {
    const { integrations } = dependencies;

    server.post(
      '/integrations/:provider/credentials',
      { schema: { hide: true, params: ByProvider, body: Form }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { team, csrfToken } = person;
        const { provider } = request.params;
        const { entry, setUp } = await loadEntry(dependencies, team.id, provider);
        const isPublic = request.body.isPublic === 'yes';
        const clientId = request.body.clientId.trim();
        const clientSecret = isPublic ? null : request.body.clientSecret.trim();
        const params = readPrefixed(request.body, 'registered');
        const put = await attempt(() =>
          integrations.putCredentials(
            callerOf(request),
            provider,
            { clientId, clientSecret, params },
            actorOf(request),
          ),
        );
        if (put.ok) return reply.redirect(`/integrations/${provider}?done=client_saved`, 303);
        const draft = { clientId, isPublic, params, problem: put.problem };
        const view = { entry, setUp, timeZone: team.timeZone, isAdmin: true, csrfToken, draft };
        return showPage(reply, person, 'integrations', providerPage(view), put.problem.status);
      },
    );

    server.get(
      '/integrations/:provider/credentials/remove',
      { schema: { hide: true, params: ByProvider }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { entry, setUp } = await loadEntry(dependencies, person.team.id, request.params.provider);
        if (setUp?.client?.of !== 'team') return reply.redirect(`/integrations/${entry.id}`, 303);
        const { operatorHasClient } = setUp;
        const view = { entry, operatorHasClient, csrfToken: person.csrfToken };
        return showPage(reply, person, 'integrations', removeClientPage(view));
      },
    );

    server.post(
      '/integrations/:provider/credentials/remove',
      { schema: { hide: true, params: ByProvider }, config: ADMIN_PAGE },
      async (request, reply) => {
        const { team } = await loadPerson(dependencies, request);
        const { provider } = request.params;
        await integrations.deleteCredentials(team.id, provider, actorOf(request));
        return reply.redirect(`/integrations/${provider}?done=client_removed`, 303);
      },
    );
  };
