import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Routes, type Server, sendPage, useForms, useRawBody } from '../../http/index.ts';
import { onFirstUse, Type } from '../../platform/index.ts';
import { sandboxRefused } from '../errors.ts';
import { ACCOUNTS } from './accounts.ts';
import type { SandboxClient, SandboxContext } from './build-provider.ts';
import { type Exchange, toExchange } from './exchange.ts';
import { consentPage, returnPage } from './interaction-pages.ts';
import type { SandboxResponse } from './open-sandbox.ts';
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

const send = (reply: FastifyReply, { status, headers, body }: SandboxResponse): FastifyReply =>
  reply.code(status).headers(headers).send(body);

const reasonIn = (body: unknown): string => {
  const { error_description: reason }: { error_description?: unknown } = Object(body);
  return typeof reason === 'string' ? reason : 'it does not ask for a redirect';
};

/** Redirects the browser, or explains on our own page why that isn't possible. */
const sendOn = (reply: FastifyReply, { status, headers, body }: SandboxResponse): FastifyReply => {
  if (headers['location'] === undefined && status < 500) throw sandboxRefused(reasonIn(body));
  return send(reply, { status, headers, body: status < 500 ? '' : body });
};

/** Serves only the paths that a connection needs. The rest of oidc-provider has no URL. */
export const sandboxRoutes =
  (client: SandboxClient, getContext: () => SandboxContext): Routes =>
  async (server) => {
    // Loading oidc-provider takes time and memory, so load it only if the sandbox is used.
    const open = onFirstUse(async () => (await import('./open-sandbox.ts')).openSandbox(client, getContext()));

    const exchangeFor = (request: FastifyRequest, path: string): Exchange => {
      const address = new URL(`${ROOT}${path}`, client.url);
      if (request.url.includes('?')) address.search = request.url.slice(request.url.indexOf('?'));
      return toExchange(request, address);
    };
    const ask = async (request: FastifyRequest, path: string): Promise<SandboxResponse> =>
      (await open()).ask(exchangeFor(request, path));

    for (const path of [PATHS.discovery, PATHS.jwks, PATHS.userinfo])
      server.get(`${ROOT}${path}`, protocol, async (request, reply) => send(reply, await ask(request, path)));

    // Ask oidc-provider whose token it is.
    const findAccount = async (authorization: string): Promise<unknown> => {
      const address = new URL(`${ROOT}${PATHS.userinfo}`, client.url);
      const asked = toExchange({ method: 'GET', headers: { authorization }, body: undefined }, address);
      const { status, body } = await (await open()).ask(asked);
      return status === 200 ? body : null;
    };
    await server.register(async (scope) => sandboxApi(client.url, findAccount)(scope as Server));

    await server.register(async (scope) => {
      useRawBody(scope);
      for (const path of [PATHS.token, PATHS.revoke])
        scope.post(`${ROOT}${path}`, protocol, async (request, reply) => send(reply, await ask(request, path)));
    });

    server.get(`${ROOT}${PATHS.authorize}`, page, async (request, reply) =>
      sendOn(reply, await ask(request, PATHS.authorize)),
    );
    server.get(`${ROOT}${PATHS.authorize}/:uid`, pageByUid, async (request, reply) =>
      sendOn(reply, await ask(request, `${PATHS.authorize}/${request.params.uid}`)),
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
