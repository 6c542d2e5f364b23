import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { onFirstUse, Type } from '../../platform/index.ts';
import type { DescribedRequests } from '../contract/described-requests.ts';
import type { Server } from '../contract/routes.ts';
import { addDocsAssets, docsPage, type FrameOf } from '../pages/docs-page.ts';
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

/** Adds to a route's documentation who may call it, and that its errors are problems (RFC 9457). */
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
  frameOf: FrameOf;
  describeRequests(): DescribedRequests;
};

const DOCS = ['/docs', '/docs/'];
const DOCUMENTS = ['/docs/json', '/docs/yaml'];
const LIBRARY = '/docs/static/swagger-ui-bundle.js';
const LIBRARY_STYLES = '/docs/static/swagger-ui.css';

/**
 * Adds `/openapi.json`, made from the route schemas, and `/docs` to browse and try it, with nothing loaded from
 * elsewhere. Both are built on the first request for one of them. Until then, routes are only collected.
 */
export const addOpenApi = (
  server: FastifyInstance,
  { url, sessionCookie, frameOf, describeRequests }: DocumentedService,
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

  const schema = { hide: true } as const;
  const exposeHeadRoute = true;
  server.get('/openapi.json', { schema, config: { access: 'anyone' }, exposeHeadRoute }, async (request, reply) =>
    (await open()).document.send(request, reply),
  );
  const browse = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = ''] = request.url.split('?');
    const file = await (await open()).find(path);
    if (file) return file.send(request, reply);
    reply.callNotFound();
    return reply;
  };
  const file = { schema, config: { access: 'anyone', page: true } } as const;
  for (const path of DOCUMENTS) server.get(path, { ...file, exposeHeadRoute }, browse);
  server.route({ method: ['GET', 'HEAD'], url: '/docs/static/*', ...file, handler: browse });
  const assets = addDocsAssets(server as Server);
  const addressOf = async (path: string): Promise<string> =>
    `${path}${(await (await open()).find(path))?.version ?? ''}`;
  const page = { schema, config: { access: 'anyone_or_caller', page: true } } as const;
  for (const path of DOCS)
    server.get(path, { ...page, exposeHeadRoute }, async (request, reply) => {
      const { groups, document } = await open();
      const [library, libraryStyles] = await Promise.all([addressOf(LIBRARY), addressOf(LIBRARY_STYLES)]);
      const files = { ...assets, library, libraryStyles, document: `/openapi.json${document.version}` };
      return sendPage(reply, 200, docsPage(groups, files, await frameOf(request)));
    });
};
