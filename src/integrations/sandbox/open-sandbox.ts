import type { ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import { sandboxGone } from '../errors.ts';
import { buildProvider, type SandboxClient, type SandboxContext, SESSION_COOKIE } from './build-provider.ts';
import type { Exchange } from './exchange.ts';
import { knownScopes } from './scopes.ts';

export type SandboxResponse = {
  status: number;
  headers: Record<string, number | string | string[] | undefined>;
  body: unknown;
};

/**
 * Removes the session's cookie, so that nobody stays signed in at the sandbox, and every connect can choose another
 * account. (With the cookie, oidc-provider would first sign the old account out, on a page that needs an inline
 * script.)
 */
const withoutSession = (cookies: readonly string[]): string[] =>
  cookies.filter((cookie) => !cookie.startsWith(SESSION_COOKIE));

const createAsk = (provider: Provider) => {
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

  return async ({ incoming, outgoing }: Exchange): Promise<SandboxResponse> => {
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

/**
 * Finds the interaction by its signed cookie, which identifies the browser. The cookie is `lax`, so a form on another
 * site is sent without it.
 */
const findInteraction = async (provider: Provider, { incoming, outgoing }: Exchange, uid: string) => {
  try {
    const interaction = await provider.interactionDetails(incoming, outgoing);
    if (interaction.uid === uid) return interaction;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
  }
  throw sandboxGone();
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Opens the sandbox. This file imports oidc-provider, so it's loaded only when the sandbox is first used. */
export const openSandbox = async (client: SandboxClient, context: SandboxContext) => {
  const provider = await buildProvider(client, context);
  return {
    ask: createAsk(provider),

    /** Returns what the consent page asks for. */
    async getQuestion(exchange: Exchange, uid: string) {
      const { params } = await findInteraction(provider, exchange, uid);
      const asking = await provider.Client.find(textOf(params['client_id']));
      return { client: asking?.clientName ?? '', scopes: knownScopes(textOf(params['scope'])) };
    },

    /** Signs in and consents in one step. Returns the URL where the provider continues. */
    async decide(exchange: Exchange, uid: string, isAllowed: boolean, account: string): Promise<string> {
      const { params } = await findInteraction(provider, exchange, uid);
      const finish = (result: Parameters<Provider['interactionResult']>[2]) =>
        provider.interactionResult(exchange.incoming, exchange.outgoing, result, { mergeWithLastSubmission: false });
      if (!isAllowed) return finish({ error: 'access_denied', error_description: 'Access was denied' });
      const grant = new provider.Grant({ accountId: account, clientId: textOf(params['client_id']) });
      grant.addOIDCScope(knownScopes(textOf(params['scope'])).join(' '));
      return finish({ login: { accountId: account }, consent: { grantId: await grant.save() } });
    },
  };
};
