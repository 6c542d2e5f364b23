import type { FastifyReply, FastifyRequest } from 'fastify';
import { getsPage, sendPage } from '../../http/index.ts';
import { Refusal } from '../../platform/index.ts';
import { getTeam, getUser } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { IntegrationsContext } from '../context.ts';
import { siteWordIn } from '../requests/chosen-site.ts';
import { type ConfirmView, confirmPage, connectedPage, failedPage, refusedPage } from './connect-pages.ts';
import { readState } from './connect-state.ts';
import { customerConfirmPage, customerConnectedPage, customerFailedPage } from './customer-pages.ts';
import { customerWords } from './customer-words.ts';
import type { ConnectOutcome, Which } from './outcome.ts';
import { findWayBack, type Product, readFlow } from './product.ts';

type Starter = { teamId: string; userId: string };

export const searchOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Who the visitor is. Only the person who started the connect gets a button to finish it. If anyone else pressed the
 * button, the attempt would end.
 */
const visitorOf = ({ caller }: FastifyRequest, startedBy: Starter): ConfirmView['visitor'] => {
  if (!caller?.csrfToken) return 'nobody';
  const same = caller.userId === startedBy.userId && caller.teamId === startedBy.teamId;
  return same ? { csrfToken: caller.csrfToken } : 'other';
};

/**
 * The last pages of a connect that has no return URL. The dashboard's users and customers' users get different pages.
 */
export const createConnectEndings = (context: IntegrationsContext, product: Product) => {
  const { database, catalogue, vault, url } = context;

  return {
    async sendOutcome(
      request: FastifyRequest,
      reply: FastifyReply,
      { provider, connection, outcome, startedBy }: Which & { outcome: ConnectOutcome; startedBy: Starter },
    ): Promise<FastifyReply> {
      const { name } = findProvider(catalogue, provider).record;
      const back = await findWayBack(context, product, request, { ...startedBy, returnTo: null });
      if (outcome.outcome === 'connected') {
        const { label: account } = outcome.account;
        const siteWord = outcome.siteNeeded ? siteWordIn(catalogue, provider) : null;
        const page = back
          ? customerConnectedPage(back, { name, account, siteWord })
          : connectedPage({ name, provider, connection, account, siteWord });
        return sendPage(reply, 200, page);
      }
      const { status, message } = outcome;
      const page = back
        ? customerFailedPage(back, { title: `Connecting ${name} failed`, message: customerWords(outcome) })
        : failedPage({ name, provider, message });
      return sendPage(reply, status, page);
    },

    /** `tellsWho`: whether the visitor may know who started the connect. */
    async sendConfirm(
      request: FastifyRequest,
      reply: FastifyReply,
      { provider, attempt, startedBy }: { provider: string; attempt: string; startedBy: Starter },
      tellsWho: boolean,
    ): Promise<FastifyReply> {
      const { name } = findProvider(catalogue, provider).record;
      const user = await getUser(database, startedBy.teamId, startedBy.userId);
      const team = (await getTeam(database, startedBy.teamId))?.name ?? '';
      const visitor = visitorOf(request, startedBy);
      const who = tellsWho || typeof visitor === 'object' ? (user?.email ?? user?.name ?? null) : null;
      const back = await findWayBack(context, product, request, { ...startedBy, returnTo: null });
      const page = back
        ? customerConfirmPage(back, { name, who, team })
        : confirmPage({ name, provider, attempt, who, team, visitor });
      return sendPage(reply, 200, page);
    },

    /** Shows refusals with a code of `integrations.*` on a page with a link onward. Rethrows all other errors. */
    async tellRefusal(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { provider } = request.params as { provider: string };
      const { record } = catalogue.get(provider) ?? {};
      const isOurs = error instanceof Refusal && error.code.startsWith('integrations.');
      if (!isOurs || record === undefined || !getsPage(request)) throw error;
      const sealed = searchOf(request).get(('callback' in record && record.callback?.stateParam) || 'state') ?? '';
      const flow = readFlow(() => readState(vault, redirectUriOf(url, provider), sealed));
      const back = await findWayBack(context, product, request, flow);
      const { message } = error;
      const page = back
        ? customerFailedPage(back, { title: 'Something went wrong', message: customerWords(error) })
        : refusedPage({ name: record.name, provider, message });
      return sendPage(reply.headers(error.headers), error.status, page);
    },
  };
};
