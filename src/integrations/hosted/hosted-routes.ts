import {
  databaseAway,
  isForeignNavigation,
  type Routes,
  refuseForeignForm,
  sendPage,
  useForms,
} from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { type ConnectSessions, HOSTED_PAGE } from '../../teams/index.ts';
import { findProvider, getOauthProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { lacksParams } from '../catalogue/provider-params.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import { neededSettingsOf } from '../catalogue/settings-of.ts';
import { beginConnect } from '../connect/begin-connect.ts';
import { createBindingCookie } from '../connect/binding-cookie.ts';
import { STANDARD_OPTIONS } from '../connect/connect-state.ts';
import type { Product } from '../connect/product.ts';
import { refuseWithoutRoom } from '../connections/find-connection.ts';
import { getStatus, narrowStatus } from '../connections/status.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import { siteWordIn } from '../requests/chosen-site.ts';
import { getSetUp } from '../set-up/get-set-up.ts';
import { addAccountRoutes } from './add-account-routes.ts';
import { type BrandSettings, brandStyles } from './brand.ts';
import { LOGO, STYLES } from './create-product.ts';
import { hostedDisconnectRoutes } from './disconnect-routes.ts';
import {
  createHostedDoor,
  HOSTED,
  HostedQuery,
  type HostedRequest,
  paramsIn,
  pathsOf,
  whichOf,
} from './hosted-door.ts';
import { endedPage, listPage, ticketPage } from './hosted-pages.ts';
import { outcomeNotice } from './outcome-notice.ts';
import { hostedSiteRoutes } from './site-routes.ts';

const Arrival = Type.Object({
  ticket: Type.Optional(Type.String({ maxLength: 200 })),
  provider: Type.Optional(Type.String({ maxLength: 60 })),
  connection: Type.Optional(Type.String({ maxLength: 60 })),
  outcome: Type.Optional(Type.String({ maxLength: 60 })),
  error: Type.Optional(Type.String({ maxLength: 100 })),
  attempt: Type.Optional(Type.String({ maxLength: 60 })),
  siteNeeded: Type.Optional(Type.String({ maxLength: 10 })),
});

type HostedOptions = {
  sessions: ConnectSessions;
  product: Product;
  settings: BrandSettings;
  /** Whether the page may name the settings that the operator has to set. */
  tellsSettings: boolean;
};

/** Lists the session's providers that can't be connected yet. */
const listUnavailable = (
  { catalogue }: WorkingContext,
  wanted: readonly string[],
  shown: readonly { provider: string }[],
  tellsSettings: boolean,
) =>
  wanted
    .filter((id) => !shown.some(({ provider }) => provider === id))
    .flatMap((id) => {
      const { name, retired } = catalogue.get(id)?.record ?? {};
      const entry = tellsSettings && !retired ? getOauthProvider(catalogue, id) : undefined;
      return name === undefined ? [] : [{ name, settings: entry ? neededSettingsOf(entry.record) : null }];
    });

/**
 * The page where a customer's user connects accounts, for products without a script of their own. The ticket in the
 * link is exchanged for a cookie that works only on these routes.
 */
export const hostedRoutes =
  (context: WorkingContext, { sessions, product, settings, tellsSettings }: HostedOptions): Routes =>
  (server) => {
    const { url, catalogue, clock } = context;
    const { brand } = product;
    const door = createHostedDoor(context, sessions, product);
    const { cookie, whoOf, withSession, errorHandler } = door;
    const binding = createBindingCookie(url);
    useForms(server);
    server.addHook('onRequest', (_request, _reply, done) => done(server.isOpen() ? undefined : databaseAway()));

    server.get(
      HOSTED_PAGE,
      { config: HOSTED, errorHandler, schema: { hide: true, querystring: Arrival } },
      async (request, reply) => {
        const { ticket } = request.query;
        if (ticket !== undefined) {
          const found = await sessions.findTicket(ticket);
          const open = await sessions.findPage(cookie.readFrom(request));
          if (!found && open && cookie.isFor(request, ticket)) return reply.redirect(HOSTED_PAGE, 303);
          if (!found) return sendPage(reply, 410, endedPage(brand));
          const replaced = open && open.userId !== found.userId ? await whoOf(open) : null;
          return sendPage(reply, 200, ticketPage(brand, await whoOf(found), { action: HOSTED_PAGE, ticket, replaced }));
        }
        return withSession(async (session) => {
          const { integrations } = await getStatus(context, session.teamId);
          const { providers, returnTo } = session;
          const shown = providers ? narrowStatus(context, integrations, providers) : integrations;
          const unavailable = listUnavailable(context, providers ?? [], shown, tellsSettings);
          const view = { who: await whoOf(session), integrations: shown, unavailable, returnTo };
          const paths = pathsOf(session);
          const siteWord = (id: string) => siteWordIn(catalogue, id);
          const notice = outcomeNotice(catalogue, shown, request.query, paths);
          return sendPage(reply, 200, listPage(brand, { ...view, siteWord, notice }, paths));
        })(request, reply);
      },
    );

    server.post(
      HOSTED_PAGE,
      {
        config: HOSTED,
        errorHandler,
        schema: { hide: true, body: Type.Object({ ticket: Type.String({ maxLength: 200 }) }) },
      },
      async (request, reply) => {
        refuseForeignForm(url, request);
        const { ticket } = request.body;
        const open = await sessions.findPage(cookie.readFrom(request));
        const redeemed = await sessions.redeemTicket(ticket, request);
        // The next person must not be able to finish connects that somebody else began in this browser.
        if (open?.userId !== redeemed.userId) binding.clearOn(request, reply);
        return cookie.setOn(reply, ticket, redeemed).redirect(HOSTED_PAGE, 303);
      },
    );

    server.get(
      `${HOSTED_PAGE}/:provider`,
      { config: HOSTED, errorHandler, schema: { hide: true, params: ByProvider, querystring: HostedQuery } },
      withSession(async (session, request: HostedRequest, reply) => {
        // If a link on another site led here, show our own page first, which names the team. The person can continue
        // from there.
        if (isForeignNavigation(request)) return reply.redirect(HOSTED_PAGE, 303);
        const { userId, teamId, credential } = session;
        const startedAt = clock.now();
        const begun = { begunAt: startedAt, sessionId: credential.id, tokenId: null };
        const starter = { userId, teamId, begun, startedAt, binding: binding.setOn(request, reply) };
        const { provider, connection } = whichOf(request);
        await refuseWithoutRoom(context, { teamId, provider, name: connection });
        const setUp = await getSetUp(context, teamId, provider);
        const again = setUp.again.get(connection);
        const params = { ...again?.params, ...paramsIn(request.query) };
        const entry = findProvider(catalogue, provider);
        // The form for a key asks for params itself.
        if (!isKeyBased(entry) && lacksParams(entry.record, { ...setUp.params, ...params }))
          return reply.redirect(pathsOf(session).add(provider, connection), 303);
        const replace = request.query['replace'] === 'true';
        const scopes = again?.scopes ?? null;
        const options = { ...STANDARD_OPTIONS, scopes, params, returnTo: HOSTED_PAGE, connection, replace };
        const { nextUrl } = await beginConnect(context, provider, starter, options);
        return reply.redirect(nextUrl, 302);
      }),
    );

    hostedDisconnectRoutes(context, door, product)(server);
    addAccountRoutes(context, door, product)(server);
    hostedSiteRoutes(context, door, product)(server);

    const asset = { config: { access: 'anyone' }, schema: { hide: true } } as const;
    const { color, logo } = settings;
    if (color !== null) {
      const styles = brandStyles(color);
      server.get(STYLES, asset, (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
    }
    if (logo) server.get(LOGO, asset, (_request, reply) => reply.type(logo.type).send(logo.bytes));
  };
