import { type Routes, sendPage } from '../../http/index.ts';
import { equalSecrets, Type } from '../../platform/index.ts';
import { csrfTokenOf, HOSTED_PAGE, sessionActor } from '../../teams/index.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import type { Product } from '../connect/product.ts';
import { connectionTitle } from '../connections/connection-name.ts';
import { getIntegration } from '../connections/status.ts';
import { hostedFormRefused } from '../errors.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import { siteWordIn } from '../requests/chosen-site.ts';
import { chooseSite } from '../sites/choose-site.ts';
import { listSites } from '../sites/list-sites.ts';
import { HOSTED, type HostedDoor, HostedQuery, type HostedRequest, pathsOf, whichOf } from './hosted-door.ts';
import { sitePage } from './site-pages.ts';

const Form = Type.Object({ _csrf: Type.String({ maxLength: 100 }), site: Type.String({ maxLength: 300 }) });

/** The routes for choosing one of the sites that the consent covers. */
export const hostedSiteRoutes =
  (
    context: WorkingContext,
    { withSession, checkSession, whoOf, errorHandler }: HostedDoor,
    { brand }: Product,
  ): Routes =>
  (server) => {
    const path = `${HOSTED_PAGE}/:provider/site`;
    const schema = { hide: true, params: ByProvider, querystring: HostedQuery };

    server.get(
      path,
      { config: HOSTED, errorHandler, schema },
      withSession(async (session, request: HostedRequest, reply) => {
        const { teamId, userId, credential } = session;
        const which = whichOf(request);
        const { provider, connection: name } = which;
        const checkCaller = () => checkSession(request);
        const { connection, sites } = await listSites(context, { teamId, userId, provider, name }, { checkCaller });
        const integration = await getIntegration(context, connection);
        const paths = pathsOf(session);
        const page = sitePage(brand, {
          who: await whoOf(session),
          name: connectionTitle(integration),
          word: siteWordIn(context.catalogue, provider) ?? '',
          sites,
          chosen: integration.site?.id ?? null,
          csrfToken: csrfTokenOf(credential),
          action: paths.site(which),
          connectAgain: paths.connect(integration),
          back: HOSTED_PAGE,
        });
        return sendPage(reply, 200, page);
      }),
    );

    server.post(
      path,
      { config: HOSTED, errorHandler, schema: { ...schema, body: Form } },
      withSession(async (session, request: HostedRequest & { body: { _csrf: string; site: string } }, reply) => {
        const { _csrf, site } = request.body;
        if (!equalSecrets(_csrf, csrfTokenOf(session.credential))) throw hostedFormRefused();
        const { teamId, userId } = session;
        const { provider, connection: name } = whichOf(request);
        const begun = { begunAt: context.clock.now(), sessionId: session.credential.id, tokenId: null };
        const actor = sessionActor(request, session);
        await chooseSite(context, { teamId, userId, provider, name }, site, actor, begun);
        return reply.redirect(HOSTED_PAGE, 303);
      }),
    );
  };
