import type { FastifyRequest } from 'fastify';
import { type Exchange, type ServerAnswer, toExchange } from '../../oauth/index.ts';
import { onFirstUse } from '../../platform/index.ts';
import type { AgentClients } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import type { LetIn } from './open-authorization.ts';
import { OAUTH_PATHS, OAUTH_ROOT } from './paths.ts';

export const consentPath = (uid: string): string => `${OAUTH_PATHS.consent}/${uid}`;

/** The OAuth server for agents. Its library takes time and memory to load, so it's loaded when a client first needs it. */
export const createOauthServer = (context: AgentsContext, clients: AgentClients) => {
  const open = onFirstUse(async () => (await import('./open-authorization.ts')).openAuthorization(context, clients));

  /** Passes on only what a public client sends: its cookies and its form. */
  const exchangeFor = (
    { method, headers: { cookie, 'content-type': type } }: FastifyRequest,
    path: string,
    { search = '', body }: { search?: string; body?: Buffer } = {},
  ): Exchange => {
    const address = new URL(`${OAUTH_ROOT}${path}`, context.url);
    address.search = search;
    const headers = {
      ...(cookie === undefined ? {} : { cookie }),
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    return toExchange({ method, headers, body }, address, OAUTH_ROOT);
  };

  return {
    ask: async (
      request: FastifyRequest,
      path: string,
      more?: { search?: string; body?: Buffer },
    ): Promise<ServerAnswer> => (await open()).ask(exchangeFor(request, path, more)),
    getQuestion: async (request: FastifyRequest, uid: string) =>
      (await open()).getQuestion(exchangeFor(request, consentPath(uid)), uid),
    deny: async (request: FastifyRequest, uid: string) =>
      (await open()).deny(exchangeFor(request, consentPath(uid)), uid),
    allow: async (request: FastifyRequest, uid: string, granted: LetIn) =>
      (await open()).allow(exchangeFor(request, consentPath(uid)), uid, granted),
  };
};

export type OauthServer = ReturnType<typeof createOauthServer>;
