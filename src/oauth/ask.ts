import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Exchange } from './exchange.ts';

export type ServerAnswer = {
  status: number;
  headers: Record<string, number | string | string[] | undefined>;
  body: unknown;
};

/**
 * Removes the session's cookie, so that nobody stays signed in, and every authorization asks again. (With the cookie,
 * oidc-provider would first sign the old account out, on a page that needs an inline script.)
 */
const withoutSession = (cookies: readonly string[], sessionCookie: string): string[] =>
  cookies.filter((cookie) => !cookie.startsWith(sessionCookie));

/** Makes a function that asks oidc-provider, and returns its answer as data. */
export const createAskProvider = (provider: Provider, sessionCookie: string) => {
  const outcomes = new WeakMap<ServerResponse, { body: unknown } | { error: unknown }>();
  // This wraps all other middleware, so that Koa neither writes to the response nor prints errors.
  provider.use(async (context, next) => {
    context.respond = false;
    try {
      await next();
      outcomes.set(context.res, { body: context.body });
    } catch (error) {
      outcomes.set(context.res, { error });
    }
  });
  const handle = provider.callback();

  return async ({ incoming, outgoing }: Exchange): Promise<ServerAnswer> => {
    await handle(incoming, outgoing);
    const outcome = outcomes.get(outgoing);
    if (!outcome) throw new Error('The OAuth server gave no response.');
    if ('error' in outcome) throw outcome.error;
    const { 'content-length': _length, 'set-cookie': cookies, ...headers } = outgoing.getHeaders();
    const kept = withoutSession([cookies ?? []].flat().map(String), sessionCookie);
    return {
      status: outgoing.statusCode,
      headers: { ...headers, ...(kept.length > 0 ? { 'set-cookie': kept } : {}) },
      body: outcome.body,
    };
  };
};

export const sendAnswer = (reply: FastifyReply, { status, headers, body }: ServerAnswer): FastifyReply =>
  reply.code(status).headers(headers).send(body);

/** Why oidc-provider refused something, in its own words. */
export const reasonIn = (body: unknown): string => {
  const { error_description: reason }: { error_description?: unknown } = Object(body);
  return typeof reason === 'string' ? reason : 'it does not ask for a redirect';
};

/** Redirects the browser. If that isn't possible, throws what `refuse` makes of the reason. */
export const sendOn = (reply: FastifyReply, answer: ServerAnswer, refuse: (reason: string) => Error): FastifyReply => {
  const { status, headers, body } = answer;
  if (headers['location'] === undefined && status < 500) throw refuse(reasonIn(body));
  return sendAnswer(reply, { ...answer, body: status < 500 ? '' : body });
};
