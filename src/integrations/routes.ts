import type { FastifyReply } from 'fastify';
import { callerOf, type Routes } from '../http/index.ts';
import { Type } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import { findProvider } from './catalogue/find-provider.ts';
import { ByProvider, Params } from './catalogue/schemas.ts';
import { disconnect } from './connections/disconnect.ts';
import { type HandOutDependencies, handOutToken } from './connections/hand-out-token.ts';
import type { PutDependencies } from './connections/put-connection.ts';
import type { StatusBoard } from './connections/status.ts';
import { listProviders } from './set-up/provider-list.ts';
import {
  CLIENT_TEXT,
  type CredentialDependencies,
  deleteOwnCredentials,
  putOwnCredentials,
} from './set-up/put-credentials.ts';

export type IntegrationRouteDependencies = PutDependencies &
  HandOutDependencies &
  CredentialDependencies & { url: string; board: StatusBoard };

const Instant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);

const Status = Type.Object({
  team: Type.Object({ id: Type.String(), name: Type.String() }),
  integrations: Type.Array(
    Type.Object({
      provider: Type.String(),
      name: Type.String(),
      status: Type.Enum(['connected', 'degraded', 'needs_reconnect', 'disconnected']),
      reason: Text,
      account: Type.Union([Type.Object({ id: Text, label: Text }), Type.Null()]),
      scopes: Type.Array(Type.String()),
      missingScopes: Type.Array(Type.String()),
      connectedAt: Instant,
      connectedBy: Type.Union([Type.Object({ id: Type.String(), label: Type.String() }), Type.Null()]),
      expiresAt: Instant,
      reconnectBefore: Instant,
      lastRefreshedAt: Instant,
      lastError: Text,
      troubleSince: Instant,
      nextTryAt: Instant,
      refreshFailures: Type.Integer({ description: 'Failed refreshes in a row' }),
    }),
  ),
});

const Providers = Type.Object({
  providers: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      category: Type.String(),
      configured: Type.Boolean(),
      ownCredentials: Type.Boolean(),
      retired: Text,
      params: Type.Array(
        Type.Object({
          name: Type.String(),
          about: Type.String(),
          pattern: Type.String(),
          example: Type.String(),
          default: Text,
        }),
      ),
      scopes: Type.Array(Type.String()),
      callbackUrl: Type.String(),
      settings: Type.Array(Type.String()),
    }),
  ),
});

const ClientText = Type.String(CLIENT_TEXT);

export const integrationRoutes =
  (dependencies: IntegrationRouteDependencies): Routes =>
  (server) => {
    const { board, catalogue } = dependencies;
    const tags = ['integrations'];

    server.get(
      '/api/integrations/status',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: "List the team's integrations",
          description: 'Every provider that is set up, and every connection of the team.',
          response: { 200: Status },
        },
      },
      // The bytes are made once for all requests within a second and sent as they are.
      async (request, reply: FastifyReply) => {
        const known = board.bytesOf(callerOf(request).teamId);
        return reply.type('application/json; charset=utf-8').send(known instanceof Promise ? await known : known);
      },
    );

    server.get(
      '/api/integrations/providers',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'List the provider catalog',
          description: 'What can be connected, what each provider needs, and the exact callback URL to register.',
          response: { 200: Providers },
        },
      },
      async (request) => ({ providers: await listProviders(dependencies, callerOf(request).teamId) }),
    );

    server.post(
      '/api/integrations/:provider/disconnect',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'Disconnect a provider',
          description:
            'Tokens are deleted immediately. `revocation` says what happened at the provider: `shared` means another connection uses the same grant, and `failed_will_retry` means the revocation is retried in the background for up to seven days.',
          params: ByProvider,
          response: {
            200: Type.Object({
              provider: Type.String(),
              status: Type.Literal('disconnected'),
              revocation: Type.Enum([
                'revoked',
                'already_gone',
                'unsupported',
                'shared',
                'failed_will_retry',
                'not_connected',
              ]),
            }),
          },
        },
      },
      async (request) => {
        const { provider } = request.params;
        const revocation = await disconnect(dependencies, callerOf(request).teamId, provider, actorOf(request));
        return { provider, status: 'disconnected' as const, revocation };
      },
    );

    server.post(
      '/api/integrations/:provider/token',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Get an access token',
          description:
            'Refreshed first if needed. Every hand-out is in the audit log. Refresh tokens are never handed out.',
          params: ByProvider,
          response: {
            200: Type.Object({
              accessToken: Type.String(),
              tokenType: Type.String(),
              expiresAt: Instant,
              scopes: Type.Array(Type.String()),
            }),
          },
        },
      },
      async (request) => {
        const { provider } = request.params;
        const { teamId } = callerOf(request);
        findProvider(catalogue, provider);
        const { accessToken, ...rest } = await handOutToken(dependencies, teamId, provider, actorOf(request));
        return { accessToken: accessToken.reveal(), ...rest };
      },
    );

    server.put(
      '/api/integrations/:provider/credentials',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: "Set the team's own OAuth app",
          description:
            "Used only by this team, instead of the operator's. The secret can be set but never read. For providers with a host per customer, `params` name the host where the app is registered. The secret is sent only there and to the provider's own hosts.",
          params: ByProvider,
          body: Type.Object(
            {
              clientId: ClientText,
              clientSecret: Type.Union([ClientText, Type.Null()], {
                description: '`null` for a public client',
              }),
              params: Type.Optional(Params),
            },
            { additionalProperties: false },
          ),
          response: { 200: Type.Object({ provider: Type.String(), clientId: Type.String() }) },
        },
      },
      async (request) => {
        const { provider } = request.params;
        const { clientId, clientSecret, params = {} } = request.body;
        const caller = callerOf(request);
        await putOwnCredentials(dependencies, caller, provider, { clientId, clientSecret, params }, actorOf(request));
        return { provider, clientId };
      },
    );

    server.delete(
      '/api/integrations/:provider/credentials',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: "Remove the team's own OAuth app",
          params: ByProvider,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { teamId } = callerOf(request);
        await deleteOwnCredentials(dependencies, teamId, request.params.provider, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };
