import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { callerOf, createStaticFile, type Routes, type StaticFile, withOptionalBody } from '../http/index.ts';
import { Type } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import { CONFIDENCE } from './catalogue/provider.ts';
import { apiRoute, ByProvider, browserRoute, Instant, IntegrationStatus, Params, Scopes } from './catalogue/schemas.ts';
import { ByName, readConnectionName, WHICH } from './named-connection.ts';
import { CLIENT_TEXT } from './set-up/own-credentials.ts';
import type { UseCases } from './use-cases.ts';

const Text = Type.Union([Type.String(), Type.Null()]);

const Status = Type.Object({
  team: Type.Object({ id: Type.String(), name: Type.String() }),
  integrations: Type.Array(IntegrationStatus),
});

type KnownStatus = Awaited<ReturnType<UseCases['getStatus']>>;

const Providers = Type.Object({
  providers: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      category: Type.String(),
      aliases: Type.Array(Type.String(), { description: 'What else people call it, for a search' }),
      confidence: Type.Union([Type.Enum([...CONFIDENCE]), Type.Null()], {
        description:
          "How far what the entry needs to connect can be trusted. `confirmed`: someone has tried it at the provider itself. `documented`: every field has a public source. `recalled`: at least one is known only from memory, or is doubtful. Null for the operator's own entries",
      }),
      unconfirmed: Type.Array(Type.String(), {
        description: 'Fields of the entry that are known only from memory, are doubtful, or have no source',
      }),
      configured: Type.Boolean(),
      ownCredentials: Type.Boolean(),
      retired: Text,
      developerUrl: Type.Union([Type.String(), Type.Null()], {
        description: 'Where to register an OAuth app at the provider, if known',
      }),
      popular: Type.Boolean({ description: 'Among the first to offer, where there is not room for all' }),
      params: Type.Array(
        Type.Object({
          name: Type.String(),
          about: Type.String(),
          pattern: Type.String(),
          example: Type.String(),
          default: Text,
        }),
      ),
      requiredScopes: Type.Array(Type.String(), { description: 'Always requested: what identity and refresh need' }),
      scopes: Type.Array(Type.String(), { description: 'What connecting requests if it names no scopes' }),
      callbackUrl: Type.Union([Type.String(), Type.Null()], { description: 'Null for key-based providers' }),
      settings: Type.Array(Type.String()),
      privateKey: Type.Enum(['always', 'never', 'possibly'], {
        description: 'Whether an OAuth app has a private key instead of a secret. `possibly` if its issuer decides',
      }),
      webhook: Type.Union([Type.Object({ url: Type.String(), setting: Type.String() }), Type.Null()], {
        description:
          'Where the provider can say that access was withdrawn, and the setting with the secret that verifies it. Null if it says nothing',
      }),
      kind: Type.Enum(['oauth2', 'api_key', 'basic', 'client_credentials'], {
        description:
          'How it is connected: through OAuth, or with what a person enters (`PUT /api/integrations/{provider}/key`): a key, or a client ID and secret that access tokens are requested with',
      }),
      fields: Type.Array(
        Type.Object({
          name: Type.String(),
          label: Type.String(),
          about: Type.String({ description: 'Where to find it' }),
          secret: Type.Boolean(),
          pattern: Text,
          maxLength: Type.Union([Type.Integer(), Type.Null()]),
        }),
        { description: 'What a key consists of. Empty for `oauth2`' },
      ),
      clientFields: Type.Array(
        Type.Object({
          name: Type.String(),
          label: Type.String(),
          about: Type.String({ description: 'Where to find it' }),
          secret: Type.Boolean(),
          setting: Type.String(),
        }),
        { description: 'What an OAuth app has besides its client ID and secret, and the setting for each' },
      ),
      docs: Type.Union([Type.String(), Type.Null()], { description: "The provider's own page about its keys" }),
      sites: Type.Union([Type.String(), Type.Null()], {
        description:
          'If one consent may cover several, and one of them has to be chosen: what the provider calls them, such as `site` or `organization`. Null if there is nothing to choose',
      }),
      api: Type.Union(
        [Type.Object({ url: Type.String(), hosts: Type.Record(Type.String(), Type.String()) }), Type.Null()],
        {
          description:
            "Where the proxy sends requests, with placeholders for what differs between connections, and its other hosts by name. Null for connect sessions, which can't use the proxy",
        },
      ),
    }),
  ),
});

const Disconnected = Type.Object({
  provider: Type.String(),
  status: Type.Literal('disconnected'),
  revocation: Type.Enum(['revoked', 'already_gone', 'unsupported', 'shared', 'failed_will_retry', 'not_connected']),
  connections: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only if there is no connection of the given name: the names of those that there are, at most 20',
    }),
  ),
});

const HandedOut = Type.Object({
  accessToken: Type.String(),
  tokenType: Type.String(),
  expiresAt: Instant,
  scopes: Type.Array(Type.String()),
});

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

const toFile = (bytes: Buffer): StaticFile => createStaticFile('application/json; charset=utf-8', bytes, 'no-store');

/** The whole catalog is the same for most teams, so it's compressed once for all that ask for it one after the other. */
const keepLatest = () => {
  let latest: { bytes: Buffer; file: StaticFile } | undefined;
  return (bytes: Buffer): StaticFile => {
    if (!latest?.bytes.equals(bytes)) latest = { bytes, file: toFile(bytes) };
    return latest.file;
  };
};

/** The status comes as bytes, which are made once for all requests within a second and sent as they are. */
export const integrationRoutes =
  (integrations: UseCases, statusOf: (teamId: string) => Buffer | Promise<Buffer>): Routes =>
  (server) => {
    const toWhole = keepLatest();
    server.get(
      '/api/integrations/status',
      browserRoute({
        summary: "List the team's integrations",
        description:
          'Every connection of the team, and every provider that is set up. A provider that is connected with a key needs no setup, so without a connection, it is listed only if the operator or the connect session names it. A provider has an entry for each connection, `default` first, or one entry that is `disconnected`.',
        response: { 200: Status },
      }),
      async (request, reply: FastifyReply) => {
        const { teamId, providers } = callerOf(request);
        const bytes = statusOf(teamId);
        if (providers) {
          // Reading it again takes less than another look-up, and there may be many such sessions.
          const { team, integrations: all }: KnownStatus = JSON.parse((await bytes).toString());
          const shown = integrations.narrowStatus(all, providers);
          return {
            team,
            integrations: shown.map((one) => ({
              ...one,
              scopes: [...one.scopes],
              missingScopes: [...one.missingScopes],
            })),
          };
        }
        return reply.type('application/json; charset=utf-8').send(bytes instanceof Promise ? await bytes : bytes);
      },
    );

    server.get(
      '/api/integrations/providers',
      browserRoute({
        summary: 'List the provider catalog',
        description:
          'What can be connected, what each provider needs, and the exact callback URL to register. All of it is several hundred kilobytes, so search for what somebody types (`q`).',
        querystring: Type.Object({
          q: Type.Optional(
            Type.String({
              maxLength: 100,
              description: 'Only those with these words in their name, ID, category or aliases, the best first',
            }),
          ),
        }),
        response: { 200: Providers },
      }),
      async (request, reply) => {
        const { teamId, providers: only, via } = callerOf(request);
        const { q } = request.query;
        const shown = await integrations.listProviders(teamId, { only, q });
        const providers = via === 'connect_session' ? shown.map((entry) => ({ ...entry, api: null })) : shown;
        const bytes = Buffer.from(String(reply.serialize({ providers } satisfies Static<typeof Providers>)));
        const file = only || q !== undefined ? toFile(bytes) : toWhole(bytes);
        return file.send(request, reply);
      },
    );

    server.post(
      '/api/integrations/:provider/disconnect',
      withOptionalBody(
        browserRoute({
          summary: 'Disconnect a provider',
          description: `Tokens are deleted immediately. \`revocation\` says what happened at the provider: \`shared\` means another connection uses the same grant, and \`failed_will_retry\` means the revocation is retried in the background for up to seven days. ${WHICH}`,
          params: ByProvider,
          querystring: ByName,
          body: ByName,
          response: { 200: Disconnected },
        }),
      ),
      async (request) => {
        const { teamId } = callerOf(request);
        const { provider } = request.params;
        const wanted = { teamId, provider, name: readConnectionName(request) };
        const revocation = await integrations.disconnect(wanted, actorOf(request));
        const done = { provider, status: 'disconnected' as const, revocation };
        if (revocation !== 'not_connected') return done;
        const { shown: connections } = await integrations.listNamesInstead(wanted);
        return connections.length > 0 ? { ...done, connections } : done;
      },
    );

    server.post(
      '/api/integrations/:provider/token',
      withOptionalBody(
        apiRoute('admin', {
          summary: 'Get an access token',
          description: `Refreshed first if needed. Every hand-out is in the audit log. Refresh tokens are never handed out. ${WHICH}`,
          params: ByProvider,
          querystring: ByName,
          body: ByName,
          response: { 200: HandedOut },
        }),
      ),
      async (request) => {
        const { teamId } = callerOf(request);
        const { provider } = request.params;
        const wanted = { teamId, provider, name: readConnectionName(request) };
        const { accessToken, ...rest } = await integrations.handOutToken(wanted, actorOf(request));
        return { accessToken: accessToken.reveal(), ...rest };
      },
    );

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
