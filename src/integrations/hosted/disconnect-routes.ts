import { type Routes, sendPage } from '../../http/index.ts';
import { equalSecrets, Type } from '../../platform/index.ts';
import { csrfTokenOf, HOSTED_PAGE, sessionActor } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import type { Product } from '../connect/product.ts';
import { connectionTitle } from '../connections/connection-name.ts';
import { disconnect } from '../connections/disconnect.ts';
import { getStatus } from '../connections/status.ts';
import { hostedFormRefused } from '../errors.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import { HOSTED, type HostedDoor, HostedQuery, type HostedRequest, pathsOf, whichOf } from './hosted-door.ts';
import { disconnectPage } from './hosted-pages.ts';

/** Asks before an account is disconnected, and disconnects it. */
export const hostedDisconnectRoutes =
  (context: WorkingContext, { whoOf, withSession, errorHandler }: HostedDoor, { brand }: Product): Routes =>
  (server) => {
    const { catalogue } = context;

    server.get(
      `${HOSTED_PAGE}/:provider/disconnect`,
      { config: HOSTED, errorHandler, schema: { hide: true, params: ByProvider, querystring: HostedQuery } },
      withSession(async (session, request: HostedRequest, reply) => {
        const which = whichOf(request);
        const { record } = findProvider(catalogue, which.provider);
        const { integrations } = await getStatus(context, session.teamId);
        const held = integrations.find(
          ({ provider, connection }) => provider === which.provider && connection === which.connection,
        );
        const name = connectionTitle({ name: record.name, connection: which.connection });
        const form = { csrfToken: csrfTokenOf(session.credential), action: pathsOf(session).disconnect(which) };
        const what = { name, account: held?.account?.label ?? null, who: await whoOf(session) };
        return sendPage(reply, 200, disconnectPage(brand, { ...what, ...form, back: HOSTED_PAGE }));
      }),
    );

    server.post(
      `${HOSTED_PAGE}/:provider/disconnect`,
      {
        config: HOSTED,
        errorHandler,
        schema: {
          hide: true,
          params: ByProvider,
          querystring: HostedQuery,
          body: Type.Object({ _csrf: Type.String({ maxLength: 100 }) }),
        },
      },
      withSession(async (session, request: HostedRequest & { body: { _csrf: string } }, reply) => {
        if (!equalSecrets(request.body._csrf, csrfTokenOf(session.credential))) throw hostedFormRefused();
        const { teamId, userId, credential } = session;
        const { provider, connection: name } = whichOf(request);
        const begun = { begunAt: context.clock.now(), sessionId: credential.id, tokenId: null };
        const asker = { userId, actor: sessionActor(request, session), begun };
        await disconnect(context, { teamId, provider, name }, asker);
        return reply.redirect(HOSTED_PAGE, 303);
      }),
    );
  };
