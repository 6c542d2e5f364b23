import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  createOutage,
  DatabaseUnavailable,
  type Html,
  type Log,
  type Refusal,
  SetupIncomplete,
} from '../../platform/index.ts';
import { internalError } from '../errors.ts';
import { cookieOf } from '../guard/cookies.ts';
import { PROBLEM_HEADERS, problemBody, toRefusal } from '../problems/problem.ts';
import { asksForHtml, refusalPage, sendPage, signedOutPage } from './page.ts';
import type { ResponseHeaders } from './response-headers.ts';

const SAY_AGAIN_MS = 10_000;
/** The status for a caller who has left. Nobody receives it. */
const CALLER_GONE = 499;

type RefusalsContext = {
  log: Log;
  /** Links to every section, shown on an error page to someone who is signed in. */
  navigation: Html;
  sessionCookie: string;
  headers: ResponseHeaders;
};

/** Whether this request gets a page rather than data. */
export const getsPage = (request: FastifyRequest): boolean =>
  request.route?.page === true || (request.route?.page === 'for_browsers' && asksForHtml(request));

/** Whether to refuse with a page: on every page, and for browsers also on unknown and hidden paths. */
const wantsPage = (request: FastifyRequest, refusal: Refusal): boolean => {
  const { route, is404, url } = request;
  if (!is404 && getsPage(request)) return true;
  const hides = refusal.status === 404 && typeof route?.access === 'object';
  return (is404 || hides) && !url.startsWith('/api/') && asksForHtml(request);
};

/** The page that a form was on, for the way back after signing in. */
const pageWithForm = ({ headers: { referer, host } }: FastifyRequest): string => {
  const from = URL.parse(referer ?? '');
  return from !== null && from.host === host ? `${from.pathname}${from.search}` : '/';
};

/** Says what went wrong: with a page for people, and with a problem for programs. */
export const createRefusals = ({ log, navigation, sessionCookie, headers }: RefusalsContext) => {
  const outage = createOutage(SAY_AGAIN_MS);
  /** Logs an outage at once, and then only once in a while, because it affects every request. */
  const logOutage = (err: DatabaseUnavailable): void => {
    if (outage.isOn()) return;
    outage.begin();
    log.error({ err }, 'requests are failing because the database is unavailable');
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply => {
    const asPage = wantsPage(request, refusal);
    headers.setOn(reply, request.id, asPage);
    if (asPage && refusal.status === 401 && /^(?:GET|HEAD)$/.test(request.method))
      return reply.redirect(`/sign-in?returnTo=${encodeURIComponent(request.url)}`, 303);
    if (asPage && refusal.status === 401) return sendPage(reply, 401, signedOutPage(pageWithForm(request)));
    reply.headers(refusal.headers);
    const isSignedIn = cookieOf(request, sessionCookie) !== undefined;
    if (asPage)
      return sendPage(reply, refusal.status, refusalPage(refusal, request.id, isSignedIn ? navigation : null));
    return reply
      .code(refusal.status)
      .headers(PROBLEM_HEADERS)
      .send(problemBody(refusal, request.id, request));
  };

  /**
   * Handles errors while a response is written. Nothing else catches them, and other responses in the same batch must
   * still be sent.
   */
  const refuseLate = (request: FastifyRequest, reply: FastifyReply, err: unknown): void => {
    if (!reply.raw.headersSent) return void reply.send(err);
    log.error({ err, requestId: request.id, route: request.route?.url }, 'a response failed after it had started');
  };

  return {
    refuse,
    refuseLate,
    onError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
      const refusal = toRefusal(error);
      if (error instanceof DatabaseUnavailable) logOutage(error);
      const where = { requestId: request.id, route: request.route?.url };
      if (!refusal || error instanceof SetupIncomplete) log.error({ err: error, ...where }, 'a request failed');
      if (refusal?.status === CALLER_GONE) log.info(where, 'a caller left before there was a response');
      return refuse(request, reply, refusal ?? internalError());
    },
  };
};
