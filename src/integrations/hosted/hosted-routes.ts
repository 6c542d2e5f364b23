import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  databaseAway,
  isForeignNavigation,
  type Routes,
  refuseForeignForm,
  sendPage,
  useForms,
} from '../../http/index.ts';
import { equalSecrets, Refusal, Type } from '../../platform/index.ts';
import { type ConnectSessions, csrfTokenOf, getTeam, getUser, HOSTED_PAGE, sessionActor } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import { beginConnect, findHolder } from '../connect/begin-connect.ts';
import { createBindingCookie } from '../connect/binding-cookie.ts';
import { STANDARD_OPTIONS } from '../connect/connect-state.ts';
import type { Product } from '../connect/product.ts';
import { ConnectionName, connectionTitle, DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import { disconnect } from '../connections/disconnect.ts';
import { getStatus, type Integration } from '../connections/status.ts';
import { hostedFormRefused, hostedProviderRefused } from '../errors.ts';
import { getSetUp } from '../set-up/get-set-up.ts';
import { type BrandSettings, brandStyles } from './brand.ts';
import { LOGO, STYLES } from './create-product.ts';
import { disconnectPage, endedPage, hostedRefusalPage, listPage, ticketPage, type Who } from './hosted-pages.ts';
import { createPageCookie } from './page-cookie.ts';

const page = { access: 'anyone', page: true } as const;

type Session = NonNullable<Awaited<ReturnType<ConnectSessions['findPage']>>>;

type Which = { provider: string; connection: string };
type ByConnection = FastifyRequest<{ Params: { provider: string }; Querystring: { connection?: string } }>;

const ByName = Type.Object({
  connection: Type.Optional(ConnectionName),
  page: Type.Optional(Type.String({ maxLength: 60 })),
});

/** Each link says which session's page it was on: another tab may have opened the page for another team since. */
const pathsOf = ({ credential }: Session) => {
  const queryOf = ({ connection }: Which): string => `connection=${connection}&page=${credential.id}`;
  return {
    connect: (which: Which): string => `${HOSTED_PAGE}/${which.provider}?${queryOf(which)}`,
    disconnect: (which: Which): string => `${HOSTED_PAGE}/${which.provider}/disconnect?${queryOf(which)}`,
  };
};

const whichOf = ({ params, query }: Pick<ByConnection, 'params' | 'query'>): Which => ({
  provider: params.provider,
  connection: query.connection ?? DEFAULT_CONNECTION,
});

const Arrival = Type.Object({
  ticket: Type.Optional(Type.String({ maxLength: 200 })),
  provider: Type.Optional(Type.String({ maxLength: 60 })),
  connection: Type.Optional(Type.String({ maxLength: 60 })),
  outcome: Type.Optional(Type.String({ maxLength: 60 })),
  error: Type.Optional(Type.String({ maxLength: 100 })),
  attempt: Type.Optional(Type.String({ maxLength: 60 })),
});

/**
 * The page where a customer's user connects accounts, for products without a script of their own. The ticket in the
 * link is exchanged for a cookie that works on these routes only.
 */
export const hostedRoutes =
  (
    context: IntegrationsContext,
    { sessions, product, settings }: { sessions: ConnectSessions; product: Product; settings: BrandSettings },
  ): Routes =>
  (server) => {
    const { url, database, catalogue } = context;
    const { brand } = product;
    const cookie = createPageCookie(url);
    const binding = createBindingCookie(url);
    useForms(server);
    server.addHook('onRequest', (_request, _reply, done) => done(server.isOpen() ? undefined : databaseAway()));

    const whoOf = async ({ teamId, userId }: { teamId: string; userId: string }): Promise<Who> => {
      const [team, user] = await Promise.all([getTeam(database, teamId), getUser(database, teamId, userId)]);
      return { team: team?.name ?? '', user: user?.name ?? user?.email ?? '' };
    };

    /** Runs what needs the page's cookie. Without a valid one, the page says where to go. */
    const withSession =
      <Request extends FastifyRequest>(
        handle: (session: Session, request: Request, reply: FastifyReply) => Promise<FastifyReply>,
      ) =>
      async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
        const session = await sessions.findPage(cookie.readFrom(request));
        if (!session) return sendPage(cookie.clearOn(reply), 401, endedPage(brand));
        const { provider } = (request.params ?? {}) as { provider?: string };
        if (provider !== undefined && session.providers && !session.providers.includes(provider))
          throw hostedProviderRefused();
        const { page: shown } = request.query as { page?: string };
        if (provider !== undefined && shown !== session.credential.id) return reply.redirect(HOSTED_PAGE, 303);
        return handle(session, request, reply);
      };

    /** Customers get refusals on a page that leads back. All other errors are handled as everywhere. */
    const errorHandler = (error: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      if (!(error instanceof Refusal)) throw error;
      return sendPage(reply.headers(error.headers), error.status, hostedRefusalPage(brand, error.message, HOSTED_PAGE));
    };

    /** What happened, in words that don't contradict the list below them. */
    const describeOutcome = (
      integrations: readonly Integration[],
      { provider = '', connection = DEFAULT_CONNECTION, outcome, error }: Partial<Record<string, string>>,
    ): string | null => {
      const { name } = catalogue.get(provider)?.record ?? {};
      if (name === undefined || outcome === undefined) return null;
      const now = integrations.find((one) => one.provider === provider && one.connection === connection);
      const isThere = now !== undefined && now.status !== 'disconnected';
      const title = now ? connectionTitle(now) : name;
      if (outcome === 'connected') return isThere ? `${title} is connected.` : null;
      if (isThere && error === 'integrations.name_taken')
        return `${title} hasn’t changed, because you chose a different account. To use that one, disconnect this one first.`;
      const what = isThere ? `${title} hasn’t changed` : `${title} wasn’t connected`;
      return error === 'integrations.access_denied' ? `${what}, because access was declined.` : `${what}. Try again.`;
    };

    server.get(
      HOSTED_PAGE,
      { config: page, errorHandler, schema: { hide: true, querystring: Arrival } },
      async (request, reply) => {
        const { ticket } = request.query;
        if (ticket !== undefined) {
          const found = await sessions.findTicket(ticket);
          if (!found) return sendPage(reply, 410, endedPage(brand));
          const open = await sessions.findPage(cookie.readFrom(request));
          const replaced = open && open.userId !== found.userId ? await whoOf(open) : null;
          return sendPage(reply, 200, ticketPage(brand, await whoOf(found), { action: HOSTED_PAGE, ticket, replaced }));
        }
        return withSession(async (session) => {
          const { integrations } = await getStatus(context, session.teamId);
          const { providers, returnTo } = session;
          const shown = integrations.filter(({ provider }) => !providers || providers.includes(provider));
          const view = { who: await whoOf(session), integrations: shown, returnTo };
          const notice = describeOutcome(shown, request.query);
          return sendPage(reply, 200, listPage(brand, { ...view, notice }, pathsOf(session)));
        })(request, reply);
      },
    );

    server.post(
      HOSTED_PAGE,
      {
        config: page,
        errorHandler,
        schema: { hide: true, body: Type.Object({ ticket: Type.String({ maxLength: 200 }) }) },
      },
      async (request, reply) => {
        refuseForeignForm(url, request);
        const redeemed = await sessions.redeemTicket(request.body.ticket, request);
        return cookie.setOn(reply, redeemed.cookie, redeemed.lifetimeMs).redirect(HOSTED_PAGE, 303);
      },
    );

    server.get(
      `${HOSTED_PAGE}/:provider`,
      { config: page, errorHandler, schema: { hide: true, params: ByProvider, querystring: ByName } },
      withSession(async ({ userId, teamId }, request: ByConnection, reply) => {
        // The person follows the link on our page, which says whose team it is.
        if (isForeignNavigation(request)) return reply.redirect(HOSTED_PAGE, 303);
        const starter = { userId, teamId, binding: binding.setOn(request, reply) };
        const { provider, connection } = whichOf(request);
        await findHolder(context, { teamId, provider, name: connection });
        const again = (await getSetUp(context, teamId, provider)).again.get(connection);
        const options = { ...STANDARD_OPTIONS, ...again, returnTo: HOSTED_PAGE, connection, replace: false };
        const { authorizationUrl } = await beginConnect(context, provider, starter, options);
        return reply.redirect(authorizationUrl, 302);
      }),
    );

    server.get(
      `${HOSTED_PAGE}/:provider/disconnect`,
      { config: page, errorHandler, schema: { hide: true, params: ByProvider, querystring: ByName } },
      withSession(async (session, request: ByConnection, reply) => {
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
        config: page,
        errorHandler,
        schema: {
          hide: true,
          params: ByProvider,
          querystring: ByName,
          body: Type.Object({ _csrf: Type.String({ maxLength: 100 }) }),
        },
      },
      withSession(async (session, request: ByConnection & { body: { _csrf: string } }, reply) => {
        if (!equalSecrets(request.body._csrf, csrfTokenOf(session.credential))) throw hostedFormRefused();
        const { provider, connection: name } = whichOf(request);
        await disconnect(context, { teamId: session.teamId, provider, name }, sessionActor(request, session));
        return reply.redirect(HOSTED_PAGE, 303);
      }),
    );

    const asset = { config: { access: 'anyone' }, schema: { hide: true } } as const;
    const { color, logo } = settings;
    if (color !== null) {
      const styles = brandStyles(color);
      server.get(STYLES, asset, (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
    }
    if (logo) server.get(LOGO, asset, (_request, reply) => reply.type(logo.type).send(logo.bytes));
  };
