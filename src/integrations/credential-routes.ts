import { callerOf, type Routes } from '../http/index.ts';
import { Type } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import { apiRoute, ByProvider, Params, Scopes } from './catalogue/schemas.ts';
import { CLIENT_TEXT } from './set-up/own-credentials.ts';
import type { UseCases } from './use-cases.ts';

const ClientText = Type.String(CLIENT_TEXT);

const Credentials = Type.Object(
  {
    clientId: ClientText,
    clientSecret: Type.Union([ClientText, Type.Null()], {
      description: '`null` for a public client, and for one with a private key',
    }),
    privateKey: Type.Optional(
      Type.Union([Type.String({ maxLength: 20_000 }), Type.Null()], {
        description: 'Instead of a secret, if the provider accepts `private_key_jwt`: as PEM or JWK. Never returned',
      }),
    ),
    keyId: Type.Optional(
      Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
        description: "The key's ID at the provider (`kid`), if it has several keys",
      }),
    ),
    fields: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), ClientText, {
        maxProperties: 20,
        description: 'What else the OAuth app has, if the provider lists `clientFields`. Never returned',
      }),
    ),
    params: Type.Optional(Params),
    scopes: Type.Optional(
      Type.Union([Scopes, Type.Null()], {
        description: "What connecting requests, instead of the provider's defaults",
      }),
    ),
  },
  { additionalProperties: false },
);

/** Routes for a team's own OAuth app. */
export const credentialRoutes =
  (integrations: UseCases): Routes =>
  (server) => {
    server.put(
      '/api/integrations/:provider/credentials',
      apiRoute('admin', {
        summary: "Set the team's own OAuth app",
        description:
          "Used only by this team, instead of the operator's. The secret or the private key can be set but never read. For providers with a host per customer, `params` name the host where the app is registered. The secret is sent only there and to the provider's own hosts. `scopes` are what connecting with this app requests by default.",
        params: ByProvider,
        body: Credentials,
        response: {
          200: Type.Object({
            provider: Type.String(),
            clientId: Type.String(),
            scopes: Type.Union([Type.Array(Type.String()), Type.Null()]),
          }),
        },
      }),
      async (request) => {
        const { provider } = request.params;
        const client = { params: {}, scopes: null, ...request.body };
        const { clientId, scopes } = client;
        await integrations.putCredentials(callerOf(request), provider, client, actorOf(request));
        return { provider, clientId, scopes };
      },
    );

    server.delete(
      '/api/integrations/:provider/credentials',
      apiRoute('admin', {
        summary: "Remove the team's own OAuth app",
        params: ByProvider,
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        await integrations.deleteCredentials(callerOf(request).teamId, request.params.provider, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };
