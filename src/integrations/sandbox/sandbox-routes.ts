import type { FastifyRequest } from 'fastify';
import { type Routes, type Server, sendPage, useForms, useRawBody } from '../../http/index.ts';
import { type Exchange, type ServerAnswer, sendAnswer, sendOn, toExchange } from '../../oauth/index.ts';
import { onFirstUse, Type } from '../../platform/index.ts';
import { sandboxRefused } from '../errors.ts';
import { ACCOUNTS } from './accounts.ts';
import type { SandboxClient, SandboxContext } from './build-provider.ts';
import { consentPage, returnPage } from './interaction-pages.ts';
import { PATHS, ROOT } from './record.ts';
import { sandboxApi } from './sandbox-api.ts';

const ByUid = Type.Object({ uid: Type.String({ pattern: '^[\\w-]{1,64}$' }) });
const Reply = Type.Object({
  answer: Type.Enum(['allow', 'deny']),
  account: Type.Enum(ACCOUNTS.map(({ id }) => id)),
});

const protocol = { schema: { hide: true }, config: { access: 'anyone' } } as const;
const page = { schema: { hide: true }, config: { access: 'anyone', page: true } } as const;
const pageByUid = { ...page, schema: { hide: true, params: ByUid } } as const;
const decisionByUid = { ...page, schema: { hide: true, params: ByUid, body: Reply } } as const;

/** Serves only the paths that a connection needs. The rest of oidc-provider has no URL. */
export const sandboxRoutes =
  (client: SandboxClient, getContext: () => SandboxContext): Routes =>
  async (server) => {
    // Loading oidc-provider takes time and memory, so load it only if the sandbox is used.
    const open = onFirstUse(async () => (await import('./open-sandbox.ts')).openSandbox(client, getContext()));

    const exchangeFor = (request: FastifyRequest, path: string): Exchange => {
      const address = new URL(`${ROOT}${path}`, client.url);
      if (request.url.includes('?')) address.search = request.url.slice(request.url.indexOf('?'));
      return toExchange(request, address, ROOT);
    };
    const ask = async (request: FastifyRequest, path: string): Promise<ServerAnswer> =>
      (await open()).ask(exchangeFor(request, path));

    for (const path of [PATHS.discovery, PATHS.jwks, PATHS.userinfo])
      server.get(`${ROOT}${path}`, protocol, async (request, reply) => sendAnswer(reply, await ask(request, path)));

    // Ask oidc-provider whose token it is.
    const findAccount = async (authorization: string): Promise<unknown> => {
      const address = new URL(`${ROOT}${PATHS.userinfo}`, client.url);
      const asked = toExchange({ method: 'GET', headers: { authorization }, body: undefined }, address, ROOT);
      const { status, body } = await (await open()).ask(asked);
      return status === 200 ? body : null;
    };
    await server.register(async (scope) => sandboxApi(client.url, findAccount)(scope as Server));

    await server.register(async (scope) => {
      useRawBody(scope);
      for (const path of [PATHS.token, PATHS.revoke])
        scope.post(`${ROOT}${path}`, protocol, async (request, reply) => sendAnswer(reply, await ask(request, path)));
    });

    server.get(`${ROOT}${PATHS.authorize}`, page, async (request, reply) =>
      sendOn(reply, await ask(request, PATHS.authorize), sandboxRefused),
    );
    server.get(`${ROOT}${PATHS.authorize}/:uid`, pageByUid, async (request, reply) =>
      sendOn(reply, await ask(request, `${PATHS.authorize}/${request.params.uid}`), sandboxRefused),
    );

    useForms(server);
    const interactionOf = (uid: string): string => `${PATHS.interaction}/${uid}`;

    server.get(`${ROOT}${interactionOf(':uid')}`, pageByUid, async (request, reply) => {
      const { uid } = request.params;
      const { getQuestion } = await open();
      const question = await getQuestion(exchangeFor(request, interactionOf(uid)), uid);
      return sendPage(reply, 200, consentPage(question, `${ROOT}${interactionOf(uid)}`));
    });

    server.post(`${ROOT}${interactionOf(':uid')}`, decisionByUid, async (request, reply) => {
      const { uid } = request.params;
      const { answer, account } = request.body;
      const { decide } = await open();
      const goesOn = await decide(exchangeFor(request, interactionOf(uid)), uid, answer === 'allow', account);
      // Send a page with a refresh, not a redirect. After a form is submitted, browsers check all following redirects
      // against the page's "form-action 'self'", and our callback may redirect to another origin. A refresh is a
      // separate navigation, and needs no script. Where it's disabled, people can use the link.
      reply.header('refresh', `0;url=${goesOn}`);
      return sendPage(reply, 200, returnPage(goesOn));
    });
  };
