import type { Routes } from '../../http/index.ts';
import type { AgentsContext } from '../context.ts';

export const MCP_PATH = '/mcp';
export const MCP_SCOPE = 'mcp';
/** Where clients find out about a resource (RFC 9728). */
export const METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`;

/** Describes the endpoint, and names the OAuth server that grants tokens for it: this Patchbay. */
export const metadataRoutes =
  ({ url }: Pick<AgentsContext, 'url'>): Routes =>
  (server) => {
    server.get(METADATA_PATH, { config: { access: 'anyone' }, schema: { hide: true } }, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(
        JSON.stringify({
          resource: `${url}${MCP_PATH}`,
          authorization_servers: [url],
          resource_name: 'Patchbay',
          scopes_supported: [MCP_SCOPE],
          bearer_methods_supported: ['header'],
          resource_documentation: `${url}/docs`,
        }),
      ),
    );
  };
