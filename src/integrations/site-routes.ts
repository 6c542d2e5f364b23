import { callerOf, type Routes } from '../http/index.ts';
import { Type } from '../platform/index.ts';
import { actorOf, begunWith } from '../teams/index.ts';
import { ByProvider, browserRoute, IntegrationStatus, Site } from './catalogue/schemas.ts';
import { ConnectionName } from './connections/connection-name.ts';
import { getIntegration } from './connections/status.ts';
import { ByName, readConnectionName, WHICH } from './named-connection.ts';
import type { WorkingContext } from './refresh/working-connection.ts';
import { chooseSite } from './sites/choose-site.ts';
import { listSites } from './sites/list-sites.ts';

const Sites = Type.Object(
  {
    provider: Type.String(),
    connection: Type.String(),
    sites: Type.Array(Site, { description: 'At most 1,000' }),
    site: Type.Union([Site, Type.Null()], { description: 'The chosen one' }),
  },
  { title: 'ConnectionSites' },
);

/** Routes to list and choose the site, tenant or organization that a connection is for. */
export const siteRoutes =
  (context: WorkingContext): Routes =>
  (server) => {
    server.get(
      '/api/integrations/:provider/sites',
      browserRoute('member', {
        summary: 'List the sites that a consent covers',
        description: `For providers where one consent covers several sites, tenants, or organizations, such as Atlassian. The provider is asked now. If it says no, the response is \`integrations.sites_refused\`, and if it is unavailable, \`integrations.sites_unavailable\`. ${WHICH}`,
        params: ByProvider,
        querystring: ByName,
        response: { 200: Sites },
      }),
      async (request) => {
        const { teamId, userId } = callerOf(request);
        const { provider } = request.params;
        const name = request.query.connection ?? null;
        const checkCaller = async () => request.checkCaller?.();
        const { connection, sites } = await listSites(context, { teamId, userId, provider, name }, { checkCaller });
        const { site } = await getIntegration(context, connection);
        return { provider, connection: connection.name, sites: sites.map(({ id, label }) => ({ id, label })), site };
      },
    );

    server.put(
      '/api/integrations/:provider/site',
      browserRoute('member', {
        summary: 'Choose a site',
        description: `Requests through the proxy then go to this site. If the provider doesn't list it, the response is \`integrations.site_unknown\`, and nothing has changed. ${WHICH}`,
        params: ByProvider,
        querystring: ByName,
        body: Type.Object(
          {
            site: Type.String({ minLength: 1, maxLength: 300, description: 'The ID of one that the provider lists' }),
            connection: Type.Optional(ConnectionName),
          },
          { additionalProperties: false },
        ),
        response: { 200: IntegrationStatus },
      }),
      async (request) => {
        const caller = callerOf(request);
        const { teamId, userId } = caller;
        const begun = { begunAt: context.clock.now(), ...begunWith(caller) };
        const wanted = { teamId, userId, provider: request.params.provider, name: readConnectionName(request) };
        const chosen = await chooseSite(context, wanted, request.body.site, actorOf(request), begun);
        const { scopes, missingScopes, ...rest } = await getIntegration(context, chosen);
        return { ...rest, scopes: [...scopes], missingScopes: [...missingScopes] };
      },
    );
  };
