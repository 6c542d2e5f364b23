import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { Access } from './access.ts';
import { PROBLEM_TYPE } from './problem.ts';
import { INTERFACE_VERSION } from './response-headers.ts';

const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'room.reason' }),
    detail: Type.String(),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  },
  { $id: 'Problem', description: 'RFC 9457' },
);

const securityOf = (access: Access): Record<string, string[]>[] => {
  if (access === 'anyone' || access === 'anyone_or_caller' || access === 'signed') return [];
  if (typeof access === 'object') return [{ [access.door]: [] }];
  return [{ accessToken: [] }, { session: [] }];
};

/** Every documented route says who may call it, and that what it refuses is a problem. */
const describeRoute = (route: RouteOptions): void => {
  const { schema } = route;
  if (!schema || schema.hide || !route.config?.access) return;
  schema.security = securityOf(route.config.access);
  schema.response = {
    ...(schema.response ?? {}),
    '4xx': { description: 'Refused', content: { [PROBLEM_TYPE]: { schema: { $ref: 'Problem#' } } } },
    '5xx': { description: 'Failed', content: { [PROBLEM_TYPE]: { schema: { $ref: 'Problem#' } } } },
  };
};

const bearer = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description });

/** `/openapi.json`, made from the route schemas, and `/docs` to browse and try it, with nothing from elsewhere. */
export const addOpenApi = async (
  server: FastifyInstance,
  { url, sessionCookie }: { url: string; sessionCookie: string },
): Promise<void> => {
  server.addSchema(Problem);
  server.addHook('onRoute', describeRoute);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Patchbay',
        version: INTERFACE_VERSION,
        description: 'Self-hosted integrations and webhooks for teams.',
      },
      servers: [{ url }],
      components: {
        securitySchemes: {
          accessToken: bearer('An access token `pb_…`, a token of the identity provider, or the admin token'),
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description: 'A signed-in session; state-changing requests carry `x-csrf-token`',
          },
          cron: bearer('`CRON_SECRET`'),
          debug: bearer('`DEBUG_TOKEN`'),
          metrics: bearer('`METRICS_TOKEN`'),
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `def-${index}`) },
  });
  let rendered: string | undefined;
  server.get('/openapi.json', { schema: { hide: true }, config: { access: 'anyone' } }, (_request, reply) => {
    rendered ??= JSON.stringify(server.swagger());
    return reply.type('application/json; charset=utf-8').send(rendered);
  });
  await server.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { access: 'anyone', page: true, ...route.config };
    });
    await scope.register(swaggerUi, { routePrefix: '/docs', staticCSP: false, uiConfig: { tryItOutEnabled: true } });
  });
};
