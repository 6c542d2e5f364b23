import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { SESSION_COOKIE } from './build-provider.ts';
import type { Exchange } from './exchange.ts';

export type Answer = { status: number; headers: Record<string, number | string | string[] | undefined>; body: unknown };

/**
 * Nobody stays signed in at the sandbox. Without this cookie, every connect asks again, and another account can be
 * chosen. (With it, oidc-provider would first sign the old account out, on a page that needs an inline script.)
 */
const withoutSession = (cookies: readonly string[]): string[] =>
  cookies.filter((cookie) => !cookie.startsWith(SESSION_COOKIE));

export const createAsk = (provider: Provider) => {
  const outcomes = new WeakMap<ServerResponse, { body: unknown } | { error: unknown }>();
  // Wraps everything else, so that nothing is written to the response and no error reaches Koa, which prints them.
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

  return async ({ incoming, outgoing }: Exchange): Promise<Answer> => {
    await handle(incoming, outgoing);
    const outcome = outcomes.get(outgoing);
    if (!outcome) throw new Error('The sandbox gave no response.');
    if ('error' in outcome) throw outcome.error;
    const { 'content-length': _length, 'set-cookie': cookies, ...headers } = outgoing.getHeaders();
    const kept = withoutSession([cookies ?? []].flat().map(String));
    return {
      status: outgoing.statusCode,
      headers: { ...headers, ...(kept.length > 0 ? { 'set-cookie': kept } : {}) },
      body: outcome.body,
    };
  };
};
