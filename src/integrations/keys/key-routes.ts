import { callerOf, type Routes } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf, begunWith } from '../../teams/index.ts';
import { ByProvider, browserRoute, IntegrationStatus, Params } from '../catalogue/schemas.ts';
import { ConnectionName, DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import { getIntegration } from '../connections/status.ts';
import type { IntegrationsContext } from '../context.ts';
import { putKey } from './put-key.ts';

/** Limits how much is read. The entry's own rules are checked later. */
const Fields = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 10_000 }), {
  maxProperties: 10,
  description: 'As the provider lists them in `fields`',
});

export const keyRoutes =
  (context: IntegrationsContext): Routes =>
  (server) => {
    server.put(
      '/api/integrations/:provider/key',
      browserRoute('member', {
        summary: 'Connect a provider with a key',
        description:
          'For providers whose `kind` is not `oauth2`. The key is verified at the provider before it is stored, encrypted. It can be set but never read, and is used through the proxy only. With `client_credentials`, it is used to request access tokens. It replaces the connection of the same name. If the provider rejects the key, the response is `integrations.key_refused`, and nothing has changed.',
        params: ByProvider,
        // Refuse any query. If someone put a connection's name there instead of in the body, the connection named
        // `default` would be replaced.
        querystring: Type.Object({}, { additionalProperties: false }),
        body: Type.Object(
          { fields: Fields, params: Type.Optional(Params), connection: Type.Optional(ConnectionName) },
          { additionalProperties: false },
        ),
        response: { 200: IntegrationStatus },
      }),
      async (request) => {
        const caller = callerOf(request);
        const { teamId, userId } = caller;
        const { provider } = request.params;
        const { fields, params = {}, connection = DEFAULT_CONNECTION } = request.body;
        const starter = { teamId, userId, ...begunWith(caller) };
        await putKey(context, starter, { provider, connection, fields, params }, actorOf(request));
        const { scopes, missingScopes, ...rest } = await getIntegration(context, {
          teamId,
          provider,
          name: connection,
        });
        return { ...rest, scopes: [...scopes], missingScopes: [...missingScopes] };
      },
    );
  };
