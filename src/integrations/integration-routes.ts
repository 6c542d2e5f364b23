import type { FastifyReply } from 'fastify';
import { callerOf, type Routes, traceOf, withOptionalBody, withRight } from '../http/index.ts';
import { type Clock, Type } from '../platform/index.ts';
import { actorOf, begunWith } from '../teams/index.ts';
import { apiRoute, ByProvider, browserRoute, Instant, IntegrationStatus } from './catalogue/schemas.ts';
import { ByName, readConnectionName, WHICH } from './named-connection.ts';
import type { UseCases } from './use-cases.ts';

const Status = Type.Object({
  team: Type.Object({ id: Type.String(), name: Type.String() }),
  integrations: Type.Array(IntegrationStatus),
});

type KnownStatus = Awaited<ReturnType<UseCases['getStatus']>>;

const Disconnected = Type.Object(
  {
    provider: Type.String(),
    status: Type.Literal('disconnected'),
    revocation: Type.Enum([
      'revoked',
      'already_gone',
      'unsupported',
      'unknown',
      'shared',
      'failed_will_retry',
      'not_connected',
    ]),
    where: Type.Optional(
      Type.String({
        description: 'Where a person can remove access at the provider. Only if Patchbay could not, and if it is known',
      }),
    ),
    connections: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only if there is no connection of the given name: the names of those that there are, at most 20',
      }),
    ),
  },
  { title: 'Disconnected' },
);

const HandedOut = Type.Object(
  {
    accessToken: Type.String(),
    tokenType: Type.String(),
    expiresAt: Instant,
    scopes: Type.Array(Type.String()),
  },
  { title: 'ProviderToken' },
);

/** Routes for a team's connections. `statusOf` returns the response's bytes, which are cached for a second. */
export const integrationRoutes =
  (integrations: UseCases, clock: Clock, statusOf: (teamId: string) => Buffer | Promise<Buffer>): Routes =>
  (server) => {
    server.get(
      '/api/integrations/status',
      withRight(
        'status',
        browserRoute('member', {
          summary: "List the team's integrations",
          description:
            'Every connection of the team, and every provider that is set up. A provider that is connected with a key needs no setup, so without a connection, it is listed only if the operator or the connect session names it. A provider has an entry for each connection, `default` first, or one entry that is `disconnected`.',
          response: { 200: Status },
        }),
      ),
      async (request, reply: FastifyReply) => {
        const { teamId, providers } = callerOf(request);
        const bytes = statusOf(teamId);
        if (providers) {
          // This caller may see only some providers. Parsing the cached bytes is faster than a new query.
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

    server.post(
      '/api/integrations/:provider/disconnect',
      withOptionalBody(
        browserRoute('member', {
          summary: 'Disconnect a provider',
          description: `Tokens are deleted immediately. \`revocation\` says what happened at the provider: \`unsupported\` means it has no way to revoke access, \`unknown\` means nobody has found one, \`shared\` means another connection uses the same grant, and \`failed_will_retry\` means the revocation is retried in the background for up to seven days. ${WHICH}`,
          params: ByProvider,
          querystring: ByName,
          body: ByName,
          response: { 200: Disconnected },
        }),
      ),
      async (request) => {
        const caller = callerOf(request);
        const { teamId, userId } = caller;
        const { provider } = request.params;
        const wanted = { teamId, provider, name: readConnectionName(request) };
        const begun = { begunAt: clock.now(), ...begunWith(caller) };
        const revocation = await integrations.disconnect(wanted, { userId, actor: actorOf(request), begun });
        const done = { provider, status: 'disconnected' as const, revocation };
        if (revocation === 'unsupported' || revocation === 'unknown') {
          const where = integrations.findRemoval(provider);
          return where === undefined ? done : { ...done, where };
        }
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
        const checkCaller = async () => request.checkCaller?.();
        const { accessToken, ...rest } = await integrations.handOutToken(wanted, actorOf(request), {
          checkCaller,
          traceId: traceOf(request)?.traceId,
        });
        return { accessToken: accessToken.reveal(), ...rest };
      },
    );
  };
