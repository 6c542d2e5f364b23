import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Html, onFirstUse, Type } from '../../platform/index.ts';
import type { DescribedRequests } from '../contract/described-requests.ts';
import { cookieOf } from '../guard/cookies.ts';
import { docsPage } from '../pages/docs-page.ts';
import { sendPage } from '../pages/page.ts';
import { PROBLEM_TYPE } from '../problems/problem.ts';
import { securityOf } from './document-route.ts';

const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'Machine-readable, such as `http.not_found`' }),
    detail: Type.String(),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  },
  { $id: 'Problem', description: 'RFC 9457' },
);

/** Every documented route says who may call it, and that its errors are problems (RFC 9457). */
const describeRoute = (route: RouteOptions): void => {
  const { schema } = route;
  if (!schema || schema.hide || !route.config?.access) return;
  schema.security = securityOf(route.config);
  schema.response = {
    ...(schema.response ?? {}),
    '4xx': { description: 'Client error', content: { [PROBLEM_TYPE]: { schema: { $ref: 'Problem#' } } } },
    '5xx': { description: 'Server error', content: { [PROBLEM_TYPE]: { schema: { $ref: 'Problem#' } } } },
  };
};

type DocumentedService = {
  url: string;
  sessionCookie: string;
  navigation: Html;
  describeRequests(): DescribedRequests;
};

const DOCS = ['/docs', '/docs/'];
const DOCUMENTS = ['/docs/json', '/docs/yaml'];
const STATIC_DOCS = '/docs/static/*';

/**
 * `/openapi.json`, made from the route schemas, and `/docs` to browse and try it, with nothing loaded from elsewhere.
 * Both are built on the first request for one of them. Until then the routes are only collected.
 */
export const addOpenApi = (
  server: FastifyInstance,
  { url, sessionCookie, navigation, describeRequests }: DocumentedService,
): void => {
  const routes: RouteOptions[] = [];
  server.addSchema(Problem);
  server.addHook('onRoute', (route) => {
    describeRoute(route);
    if (!route.schema?.hide) routes.push(route);
  });
  const open = onFirstUse(async () => {
    const { openApiBrowser } = await import('./api-browser.ts');
    return openApiBrowser({ url, sessionCookie, routes, shared: [Problem], requests: describeRequests() });
  });

  const hidden = { hide: true } as const;
  const exposeHeadRoute = true;
  server.get(
    '/openapi.json',
    { schema: hidden, config: { access: 'anyone' }, exposeHeadRoute },
    async (_request, reply) => {
      const { document } = await open();
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
  const browse = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { ask } = await open();
    const { status, headers, body } = await ask(request);
    if (status !== 404) return reply.code(status).headers(headers).send(body);
    reply.callNotFound();
    return reply;
  };
  const page = { schema: hidden, config: { access: 'anyone', page: true } } as const;
  for (const path of DOCUMENTS) server.get(path, { ...page, exposeHeadRoute }, browse);
  for (const path of DOCS)
    server.get(path, { ...page, exposeHeadRoute }, async (request, reply) => {
      // What the page loads next.
      await open();
      return sendPage(reply, 200, docsPage(cookieOf(request, sessionCookie) === undefined ? null : navigation));
    });
  server.route({ method: ['GET', 'HEAD'], url: STATIC_DOCS, ...page, handler: browse });
};
