import type { Routes } from '../../http/index.ts';
import type { AgentsContext } from '../context.ts';
import { MCP_SCOPE } from '../mcp/metadata-routes.ts';
import { OAUTH_PATHS, OAUTH_ROOT } from './paths.ts';

/** Where clients find out about the OAuth server (RFC 8414). */
const PATH = '/.well-known/oauth-authorization-server';

/** Describes the OAuth server. It's written here, so that nothing is loaded for a stranger who asks. */
export const serverMetadataRoutes =
  ({ url }: Pick<AgentsContext, 'url'>): Routes =>
  (server) => {
    const at = (path: string): string => `${url}${OAUTH_ROOT}${path}`;
    const text = JSON.stringify({
      issuer: url,
      authorization_endpoint: at(OAUTH_PATHS.authorize),
      token_endpoint: at(OAUTH_PATHS.token),
      registration_endpoint: at(OAUTH_PATHS.register),
      revocation_endpoint: at(OAUTH_PATHS.revoke),
      scopes_supported: [MCP_SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${url}/docs`,
    });
    server.get(PATH, { config: { access: 'anyone' }, schema: { hide: true } }, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(text),
    );
  };
