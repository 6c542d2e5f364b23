import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  callerOf,
  describeWanted,
  getsPage,
  isForeignNavigation,
  type Routes,
  sendPage,
  unauthorized,
  withOptionalBody,
  withRight,
} from '../../http/index.ts';
import { Refusal, Type } from '../../platform/index.ts';
import { type Beginning, begunWith, getTeam } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import { ByProvider, browserRoute } from '../catalogue/schemas.ts';
import { connectionTitle, DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import { getHeldAccount, refuseWithoutRoom } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { beginConnect, beginForCaller } from './begin-connect.ts';
import { createBindingCookie } from './binding-cookie.ts';
import { connectPage } from './connect-pages.ts';
import { BegunConnect, ConnectBody, ConnectQuery } from './connect-schemas.ts';
import type { ConnectOptions } from './connect-state.ts';
import { readTicket, redeemTicket } from './connect-ticket.ts';
import { customerFailedPage } from './customer-pages.ts';
import { customerWords } from './customer-words.ts';
import { findWayBack, type Product, readFlow } from './product.ts';

type Query = Readonly<Record<string, string | undefined>>;

const PARAM = 'params.';

/** Reads the options from the query of a link: `?scopes=a+b&returnTo=…&params.subdomain=…`. */
const readOptions = (query: Query, usualReturn: string | null = null): ConnectOptions => {
  const scopes = query['scopes']?.split(/\s+/).filter((scope) => scope !== '') ?? null;
  const params = Object.entries(query).flatMap(([name, value]) =>
    name.startsWith(PARAM) && value !== undefined ? [[name.slice(PARAM.length), value] as const] : [],
  );
  return {
    scopes,
    returnTo: query['returnTo'] ?? usualReturn,
    params: params.length > 0 ? Object.fromEntries(params) : null,
    connection: query['connection'] ?? DEFAULT_CONNECTION,
    replace: query['replace'] !== 'false',
  };
};

/**
 * The URL that the person confirms. It names the team that the page showed. If the person has switched teams since, the
 * page is shown again, for the other team.
 */
const addressFor = (provider: string, query: Query, team: string): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `/api/integrations/${provider}/connect?${new URLSearchParams({ ...Object.fromEntries(given), team })}`;
};

/** The route for programs. They send their user to the URL in the response. */
const requestRoute =
  (context: IntegrationsContext): Routes =>
  (server) => {
    const cookie = createBindingCookie(context.url);

    server.post(
      '/api/integrations/:provider/connect',
      withRight(
        'connect',
        withOptionalBody(
          browserRoute('member', {
            summary: 'Start connecting a provider',
            description:
              "Send the browser that made this request to `authorizationUrl`, the provider's own address. Or give your user `connectUrl`, a link that works once. Nothing is stored until the provider responds. For a provider that is connected with a key, `authorizationUrl` is null, and `connectUrl` leads to a form that asks for it. A team can have several connections to a provider, each under its own name (`connection`). `replaces` is the account that this name holds now. A connect session's own `returnTo` applies unless the body has one.",
            params: ByProvider,
            // Refuse any query. If someone put a connection's name there instead of in the body, the connection named
            // `default` would be replaced.
            querystring: Type.Object({}, { additionalProperties: false }),
            body: ConnectBody,
            response: { 200: BegunConnect },
          }),
        ),
      ),
      async (request, reply) => {
        const caller = callerOf(request);
        return beginForCaller(context, caller, request.params.provider, request.body, () =>
          cookie.setOn(request, reply),
        );
      },
    );
  };

/** The routes for people, who follow a link. */
const linkRoutes =
  (context: IntegrationsContext, product: Product): Routes =>
  (server) => {
    const { url, database, catalogue, clock } = context;
    const cookie = createBindingCookie(url);

    /** Sends a browser that isn't signed in to the sign-in page, which leads back here. Other clients are refused. */
    const askWho = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      if (!getsPage(request)) throw unauthorized(describeWanted('member'));
      const { provider } = request.params as { provider: string };
      const asking = `/integrations/${provider}/begin${new URL(request.url, url).search}`;
      return reply.redirect(`/sign-in?returnTo=${encodeURIComponent(asking)}`, 303);
    };

    const ask = async (reply: FastifyReply, provider: string, teamId: string, query: Query): Promise<FastifyReply> => {
      const { record } = findProvider(catalogue, provider);
      const team = await getTeam(database, teamId);
      const { connection } = readOptions(query);
      const key = { teamId, provider, name: connection };
      await refuseWithoutRoom(context, key);
      const replaces = await getHeldAccount(context, key);
      const name = connectionTitle({ name: record.name, connection });
      const address = addressFor(provider, query, teamId);
      return sendPage(reply, 200, connectPage({ name, team: team?.name ?? '', address, replaces }));
    };

    server.get(
      '/integrations/:provider/begin',
      {
        config: { access: 'member', page: true },
        schema: { hide: true, params: ByProvider, querystring: ConnectQuery },
      },
      (request, reply) => {
        const { ticket: _, ...query }: Query = request.query;
        return ask(reply, request.params.provider, callerOf(request).teamId, query);
      },
    );

    /** Shows a refusal on a page of the operator's product if a customer's user has followed a link. */
    const tellRefusal = async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { provider } = request.params as { provider: string };
      const { ticket } = request.query as Query;
      if (!(error instanceof Refusal) || ticket === undefined || !getsPage(request)) throw error;
      const flow = readFlow(() => readTicket(context, provider, ticket));
      const back = await findWayBack(context, product, request, flow);
      if (!back) throw error;
      const page = customerFailedPage(back, { title: 'Something went wrong', message: customerWords(error) });
      return sendPage(reply.headers(error.headers), error.status, page);
    };

    server.get(
      '/api/integrations/:provider/connect',
      {
        errorHandler: tellRefusal,
        config: { access: 'anyone_or_caller', connectSession: true, page: 'for_browsers' },
        schema: {
          tags: ['integrations'],
          summary: 'Start connecting a provider from a link',
          description:
            'Redirects to the provider, or to the form for a key. Takes `?scopes=a+b&returnTo=…&connection=…&params.subdomain=…`, or the `ticket` of a `connectUrl`. Requires a session, a ticket, or a bearer token.',
          params: ByProvider,
          querystring: ConnectQuery,
          response: {
            200: {
              description: 'A page that asks first, if a link on another site led here',
              content: { 'text/html': { schema: Type.String() } },
            },
            302: Type.Null({ description: 'Redirects to the provider, or to the form for a key' }),
            303: Type.Null({ description: 'Redirects to the sign-in page' }),
          },
        },
      },
      async (request, reply) => {
        const { caller } = request;
        const { provider } = request.params;
        const { ticket, ...query }: Query = request.query;
        const startedAt = clock.now();
        const begin = async (
          { userId, teamId, begun: first }: { userId: string; teamId: string; begun: Beginning },
          options: ConnectOptions,
        ) => {
          const isProved = caller?.userId === userId && caller.teamId === teamId;
          const binding = isProved ? cookie.setOn(request, reply) : null;
          // Refuse a named connection early if the team has reached its limit. A team has at most one `default` for each
          // provider, so for `default`, the check at the end of the connect is enough.
          const { connection: name } = options;
          if (name !== DEFAULT_CONNECTION) await refuseWithoutRoom(context, { teamId, provider, name });
          // A person who follows the link while signed in continues in their own session.
          const own = isProved && caller.sessionId ? { sessionId: caller.sessionId, tokenId: null } : {};
          const tokenId = (isProved && caller.tokenId) || null;
          const begun = { ...first, ...own, ...(tokenId && { tokenId }) };
          const starter = { userId, teamId, begun, startedAt, binding };
          const { nextUrl } = await beginConnect(context, provider, starter, options);
          return reply.redirect(nextUrl, 302);
        };
        if (ticket !== undefined) {
          const redeemed = await redeemTicket(context, provider, ticket);
          return begin(redeemed, redeemed);
        }
        if (!caller) return askWho(request, reply);
        const isForeign = caller.via === 'session' && isForeignNavigation(request);
        if (isForeign || (query['team'] ?? caller.teamId) !== caller.teamId)
          return ask(reply, provider, caller.teamId, query);
        const begun = { begunAt: startedAt, ...begunWith(caller) };
        return begin({ ...caller, begun }, readOptions(query, caller.returnTo));
      },
    );
  };

export const connectRoutes = (context: IntegrationsContext, product: Product): readonly Routes[] => [
  requestRoute(context),
  linkRoutes(context, product),
];
