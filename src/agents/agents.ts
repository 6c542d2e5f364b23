import type { Routes } from '../http/index.ts';
import { authorizationRoutes } from './authorization/authorization-routes.ts';
import { consentRoutes } from './authorization/consent-routes.ts';
import { createOauthServer } from './authorization/oauth-server.ts';
import { OAUTH_PATHS, OAUTH_ROOT } from './authorization/paths.ts';
import { handlePruneGrants, PRUNE_GRANTS_EVERY_MS, pruneGrants } from './authorization/prune-grants.job.ts';
import { serverMetadataRoutes } from './authorization/server-metadata-routes.ts';
import { createAgentClients } from './clients/clients.ts';
import { registrationRoutes } from './clients/registration-routes.ts';
import type { AgentsContext } from './context.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { metadataRoutes } from './mcp/metadata-routes.ts';

/** What agents use: tools over the other rooms, and the OAuth server with which people let agents in. */
export const createAgents = (context: AgentsContext) => {
  const clients = createAgentClients(context);
  const oauth = createOauthServer(context, clients);
  const prune = handlePruneGrants(context);
  context.jobs.prune(pruneGrants, { everyMs: PRUNE_GRANTS_EVERY_MS }, prune);
  const routes: readonly Routes[] = [
    metadataRoutes(context),
    serverMetadataRoutes(context),
    registrationRoutes(context, clients, `${OAUTH_ROOT}${OAUTH_PATHS.register}`),
    authorizationRoutes(context, clients, oauth),
    consentRoutes(context, oauth),
    mcpRoutes(context),
  ];
  return { routes, pruneGrants: prune };
};
