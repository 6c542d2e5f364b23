import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, leadOn, type Routes, useForms } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { Account, ByProvider, browserRoute } from '../catalogue/schemas.ts';
import type { IntegrationsContext } from '../context.ts';
import { readCallbackParams } from '../requests/callback-params.ts';
import { createBindingCookie } from './binding-cookie.ts';
import { createConnectEndings, searchOf } from './endings.ts';
import { finishConnect } from './finish-connect.ts';
import { finishParked, getStarter } from './finish-parked.ts';
import { type Finished, refusalOfOutcome, toQuery, type Which } from './outcome.ts';
import type { Product } from './product.ts';
import { addOutcome } from './return-address.ts';

const Connected = Type.Object(
  {
    provider: Type.String(),
    connection: Type.String(),
    outcome: Type.Literal('connected'),
    account: Account,
    previousAccount: Type.Union([Account, Type.Null()], {
      description: 'The account that this one has replaced. Null if there was none, or the same',
    }),
    siteNeeded: Type.Boolean({ description: 'Whether a site has to be chosen, as in the status' }),
  },
  { title: 'Connected' },
);

const Confirm = Type.Object({ provider: Type.String(), outcome: Type.Literal('confirm'), attempt: Type.String() });

const Attempt = Type.String({ pattern: '^[\\w-]{43}$', description: 'As the callback returned it' });

/**
 * Whether the request comes from a program, which accepts JSON but not HTML. A client that accepts anything gets a page.
 */
const asksForJson = ({ headers }: FastifyRequest): boolean => {
  const accept = (headers.accept ?? '').toLowerCase();
  return accept.includes('application/json') && !accept.includes('text/html');
};

export const callbackRoutes =
  (context: IntegrationsContext, product: Product): Routes =>
  async (server) => {
    const endings = createConnectEndings(context, product);
    const cookie = createBindingCookie(context.url);
    useForms(server);

    const sendJson = (reply: FastifyReply, which: Which, finished: Finished): FastifyReply => {
      if (finished.outcome === 'failed') throw refusalOfOutcome(finished);
      if (finished.outcome === 'confirm') return reply.code(202).send({ ...which, ...finished });
      // An outcome stored by an older version may lack these fields.
      const { siteNeeded = false, previousAccount = null } = finished;
      return reply.send({ ...which, ...finished, siteNeeded, previousAccount });
    };

    const complete = (request: FastifyRequest, provider: string, secret: string) =>
      finishParked(context, { provider, secret, caller: callerOf(request) }, actorOf(request));

    server.get(
      '/api/integrations/:provider/callback',
      {
        errorHandler: endings.tellRefusal,
        config: { access: 'anyone_or_caller', connectSession: true, page: 'for_browsers' },
        schema: {
          tags: ['integrations'],
          summary: "Receive the provider's response",
          description:
            'Providers send the browser back here. The code is exchanged only for the user who started, identified by the binding cookie or by their own credential. Otherwise it is parked until `complete` finishes it. With `Accept: application/json` the response is always JSON.',
          params: ByProvider,
          response: {
            200: Connected,
            202: Confirm,
            303: Type.Null({ description: 'Redirects to `returnTo`, with the outcome' }),
          },
        },
      },
      async (request, reply) => {
        const { provider } = request.params;
        const params = readCallbackParams(searchOf(request));
        const arrival = { provider, params, binding: cookie.digestOn(request), caller: request.caller };
        reply.header('referrer-policy', 'no-referrer');
        const { finished, returnTo, connection, startedBy } = await finishConnect(context, arrival, actorOf(request));
        const which = { provider, connection };
        if (asksForJson(request)) return sendJson(reply, which, finished);
        if (returnTo !== null) return reply.redirect(addOutcome(returnTo, toQuery(which, finished)), 303);
        if (finished.outcome !== 'confirm')
          return endings.sendOutcome(request, reply, { ...which, outcome: finished, startedBy });
        // The provider has just sent this visitor back, so the page may say who started the connect.
        return endings.sendConfirm(request, reply, { provider, attempt: finished.attempt, startedBy }, true);
      },
    );

    server.post(
      '/api/integrations/:provider/complete',
      browserRoute('member', {
        summary: 'Finish a parked attempt',
        description: 'Only the user who started can finish it, and only once.',
        params: ByProvider,
        body: Type.Object({ attempt: Attempt }, { additionalProperties: false }),
        response: { 200: Connected },
      }),
      async (request, reply) => {
        const { provider } = request.params;
        const { outcome, connection } = await complete(request, provider, request.body.attempt);
        return sendJson(reply, { provider, connection }, outcome);
      },
    );

    server.get(
      '/integrations/:provider/finish',
      {
        errorHandler: endings.tellRefusal,
        config: { access: 'anyone_or_caller', page: true },
        schema: { hide: true, params: ByProvider, querystring: Type.Object({ attempt: Attempt }) },
      },
      async (request, reply) => {
        const { caller } = request;
        if (!caller?.csrfToken) return reply.redirect(`/sign-in?returnTo=${encodeURIComponent(request.url)}`, 303);
        const { provider } = request.params;
        const { attempt } = request.query;
        const startedBy = await getStarter(context, provider, attempt);
        return endings.sendConfirm(request, reply, { provider, attempt, startedBy }, false);
      },
    );

    server.post(
      '/integrations/:provider/finish',
      {
        errorHandler: endings.tellRefusal,
        config: { access: 'member', page: true },
        schema: { hide: true, params: ByProvider, body: Type.Object({ attempt: Attempt }) },
      },
      async (request, reply) => {
        const { provider } = request.params;
        const { outcome, returnTo, connection } = await complete(request, provider, request.body.attempt);
        // Send a page that leads on, not a redirect: Content-Security-Policy (form-action) doesn't let a form redirect
        // to another origin.
        if (returnTo?.startsWith('/'))
          return leadOn(reply, addOutcome(returnTo, toQuery({ provider, connection }, outcome)));
        return endings.sendOutcome(request, reply, { provider, connection, outcome, startedBy: callerOf(request) });
      },
    );
  };
