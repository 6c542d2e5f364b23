import type { Routes } from '../http/index.ts';
import type { AgentsContext } from './context.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { metadataRoutes } from './mcp/metadata-routes.ts';

/** What agents use: tools over the other rooms. */
export const createAgents = (context: AgentsContext) => {
  const routes: readonly Routes[] = [metadataRoutes(context), mcpRoutes(context)];
  return { routes };
};
